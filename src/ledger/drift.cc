#include "ledger/drift.h"

#include "base/check.h"
#include "base/encoding.h"

namespace opic::ledger {

std::string Encode(absl::Span<const Drift> drifts) {
  std::string out;
  uint64_t before = 0;
  for (const Drift& drift : drifts) {
    OPIC_CHECK(&drift == &drifts.front() || drift.page.word() > before)
        << "claims that do not ascend";
    const auto amount = static_cast<int64_t>(drift.amount);
    OPIC_CHECK(drift.amount == amount) << "a drift of more than 64 bits";
    base::AppendVarint(out, drift.page.word() - before);
    base::AppendZigzag(out, amount);
    before = drift.page.word();
  }
  return out;
}

absl::StatusOr<std::vector<Drift>> DecodeDrifts(std::string_view bytes) {
  base::Decoder in(bytes);
  std::vector<Drift> drifts;
  uint64_t word = 0;
  while (in.ok() && !in.done()) {
    const uint64_t step = in.Varint();
    word += step;
    const int64_t amount = in.Zigzag();
    if (step > word || (step == 0 && !drifts.empty()) || !PageId::IsValidWord(word)) in.Fail();
    if (in.ok()) drifts.push_back({PageId::FromWord(word), amount});
  }
  if (!in.ok()) return absl::InvalidArgumentError("damaged claims on pages");
  return drifts;
}

}  // namespace opic::ledger
