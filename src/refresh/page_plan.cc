#include "refresh/page_plan.h"

#include "base/check.h"
#include "base/encoding.h"

namespace opic::refresh {
namespace {

constexpr absl::Duration kFirstPause = absl::Hours(24);
// The first byte: losses, category, and whether it is in its group.
constexpr uint8_t kLosses = 0x0f, kInGroup = 0x80;
constexpr int kCategoryShift = 4;
constexpr uint64_t kDueMax = 253'402'300'799;  // the end of year 9999

}  // namespace

RoundedRate RoundedRate::Of(double rate) {
  return rate > 0 ? RoundedRate(RefreshWeight::FromCode(RefreshWeight::kCodes / 2 + 1).Times(rate))
                  : RoundedRate();
}

std::string PagePlan::Encode() const {
  std::string out;
  out.push_back(static_cast<char>(losses | static_cast<uint8_t>(category) << kCategoryShift |
                                  (in_group ? kInGroup : 0)));
  base::AppendVarint(out, static_cast<uint64_t>(due));
  base::AppendVarint(out, weight.code());
  changes.Encode(out);
  if (rate.code() > 0) base::AppendVarint(out, rate.code());
  return out;
}

std::optional<PagePlan> PagePlan::Decode(std::string_view bytes) {
  base::Decoder in(bytes);
  PagePlan plan;
  const uint8_t first = in.Byte();
  plan.in_group = (first & kInGroup) != 0;
  plan.losses = first & kLosses;
  const int category = (first & ~kInGroup) >> kCategoryShift;
  const uint64_t due = in.Varint();
  const uint64_t code = in.Varint();
  if (!in.ok() || plan.losses > kLossesMax || category >= int{kCategories} || due > kDueMax ||
      code > RefreshWeight::kCodes)
    return std::nullopt;
  plan.category = static_cast<Category>(category);
  plan.due = static_cast<int64_t>(due);
  plan.weight = RefreshWeight::FromCode(static_cast<uint16_t>(code));
  std::string_view rest = in.rest();
  std::optional<ChangeHistory> changes = ChangeHistory::Decode(rest);
  if (!changes) return std::nullopt;
  if (!rest.empty()) {  // plans of earlier releases have no rate
    base::Decoder last(rest);
    const uint64_t rate = last.Varint();
    if (!last.done() || rate == 0 || rate > RefreshWeight::kCodes) return std::nullopt;
    plan.rate = RoundedRate::FromCode(static_cast<uint16_t>(rate));
  }
  plan.changes = *changes;
  return plan;
}

int64_t DueAfterLoss(absl::Time fetched, uint8_t losses) {
  OPIC_CHECK(losses > 0);
  if (losses >= PagePlan::kLossesMax) return PagePlan::kNever;
  return absl::ToUnixSeconds(fetched + (1 << (losses - 1)) * kFirstPause);
}

}  // namespace opic::refresh
