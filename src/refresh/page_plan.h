// What a page's row keeps of its changes, and of when it is to be read again.
//
// Thread safety: values; const members may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "refresh/category.h"
#include "refresh/change_history.h"
#include "refresh/refresh_weight.h"

namespace opic::refresh {

// A change rate as a row keeps it, a power of 2^(1/64): within 0.55 %. A value; immutable.
class RoundedRate {
 public:
  RoundedRate() = default;  // not known
  // `rate` in changes a second, from 2^-64 to 2^64; not known if it is not above 0.
  static RoundedRate Of(double rate);
  static RoundedRate FromCode(uint16_t code) { return RoundedRate(RefreshWeight::FromCode(code)); }
  uint16_t code() const { return power_.code(); }
  double value() const { return power_.value(); }  // 0: not known
  friend bool operator==(RoundedRate, RoundedRate) = default;

 private:
  explicit RoundedRate(RefreshWeight power) : power_(power) {}
  RefreshWeight power_;  // the same powers
};

struct PagePlan {
  // `due` of a page that is not read again.
  static constexpr int64_t kNever = 0;
  // `due` of a page that is published to be read now: longer overdue than any other.
  static constexpr int64_t kAtOnce = 1;
  // Readings in a row that found no page, after which it is not tried any more. The pauses between
  // them are doubled: from a day to 64, four months in all.
  static constexpr uint8_t kLossesMax = 8;
  static constexpr size_t kEncodedBytesMax = 34 + ChangeHistory::kEncodedBytesMax;

  // Unix seconds, above 0. In a row: as if the factor of its category were 1, and nothing published
  // for it (node/refresh_plan.h).
  int64_t due = kNever;
  RefreshWeight weight;  // with which Frequencies counts it, while `losses` is 0
  Category category = Category::kHtml;
  RoundedRate rate;       // that `weight` is of
  bool in_group = false;  // its RateGroup counts it
  uint8_t losses = 0;     // readings in a row that found no page
  ChangeHistory changes;

  // Frequencies has a share of the bandwidth for it.
  bool counted() const { return due != kNever && losses == 0; }

  // At most kEncodedBytesMax bytes (docs/formats/page_plan.md).
  std::string Encode() const;
  // Nothing: what Encode does not write.
  static std::optional<PagePlan> Decode(std::string_view bytes);

  friend bool operator==(const PagePlan&, const PagePlan&) = default;
};

// When a page that was not found, `losses` times in a row, is tried again; kNever after kLossesMax.
// REQUIRES: losses > 0.
int64_t DueAfterLoss(absl::Time fetched, uint8_t losses);

}  // namespace opic::refresh
