// The cash with which a page that is due is offered (Offer::due): how often the plan reads it. Once
// a second is the whole supply.
//
// Pure functions; total.
#pragma once

#include <algorithm>
#include <cmath>

#include "absl/time/time.h"
#include "cash/amount.h"

namespace opic::schedule {

// Of a period that is longer, or not known. Shorter ones than a second count as that.
inline constexpr double kPeriodSecondsMax = 0x1p30;  // 34 years

inline cash::Amount CashOfFrequency(double per_s) {
  const double part = per_s > 0 ? std::min(per_s, 1.0) : 0;
  return cash::Amount(
      static_cast<int64_t>(std::floor(part * static_cast<double>(cash::kSupply.units()))));
}

inline absl::Duration PeriodOf(cash::Amount cash) {
  const double part =
      static_cast<double>(cash.units()) / static_cast<double>(cash::kSupply.units());
  return absl::Seconds(part > 0 ? std::clamp(1 / part, 1.0, kPeriodSecondsMax) : kPeriodSecondsMax);
}

}  // namespace opic::schedule
