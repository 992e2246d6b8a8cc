// opic-modules: ledger store page_table cash base
// The input as a batch of transfers and as a peer's book; and with the checksum it should have, so
// that what is behind it is reached.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/encoding.h"
#include "ledger/peer_book.h"
#include "ledger/transfer.h"

namespace opic::ledger {
namespace {

// What was read is the same when it is written and read again, and no larger than it came.
void CheckBatch(std::string_view bytes) {
  const auto batch = DecodeTransferBatch(bytes);
  if (!batch.ok()) return;
  OPIC_CHECK(batch->transfers.size() <= bytes.size());
  OPIC_CHECK(Encode(*batch).size() <= bytes.size());
  const auto again = DecodeTransferBatch(Encode(*batch));
  OPIC_CHECK(again.ok() && Encode(*again) == Encode(*batch));
  OPIC_CHECK(again->Carried() == batch->Carried() && again->sums == batch->sums);
  for (size_t i = 1; i < batch->transfers.size(); ++i) {
    OPIC_CHECK(batch->transfers[i - 1].page < batch->transfers[i].page);
  }
}

void CheckBook(std::string_view bytes) {
  const auto book = DecodePeerBook(bytes);
  if (book.ok()) OPIC_CHECK(DecodePeerBook(Encode(*book)).value() == *book);
}

}  // namespace
}  // namespace opic::ledger

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace opic::ledger;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::string summed(input);
  opic::base::AppendFixed64(summed, opic::base::Hash64(summed));
  for (const std::string_view bytes : {input, std::string_view(summed)}) {
    CheckBatch(bytes);
    CheckBook(bytes);
  }
  return 0;
}
