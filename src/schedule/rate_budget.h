// A budget of events a second, exact over time: with steady demand n takes need (n - burst) / rate
// seconds, no less and no more. What is not used is not saved up, but for a burst of a tenth of a
// second that covers late wake-ups.
//
// Kept as one time (as ATM's generic cell rate algorithm does, ITU-T I.371), so there is nothing to
// refill.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <algorithm>

#include "absl/time/time.h"

namespace opic::schedule {

// No rate is greater: a limit of pages, or a part of it that nodes lend each other. More is a slip.
inline constexpr double kPagesPerSecondMax = 1e6;

class RateBudget {
 public:
  // `per_s_max` <= 0: no limit.
  explicit RateBudget(double per_s_max) { SetRate(per_s_max); }
  void SetRate(double per_s_max) {
    interval_ = per_s_max > 0 ? absl::Seconds(1 / per_s_max) : absl::ZeroDuration();
  }

  // When the next event is allowed; InfinitePast without a limit.
  absl::Time next() const {
    return interval_ > absl::ZeroDuration() ? last_ + interval_ - kBurst : absl::InfinitePast();
  }
  bool Allows(absl::Time now) const { return next() <= now; }
  // REQUIRES: Allows(now).
  void Take(absl::Time now) { last_ = std::max(last_ + interval_, now); }
  // An event taken did not happen after all.
  void GiveBack() { last_ -= interval_; }

 private:
  static constexpr absl::Duration kBurst = absl::Milliseconds(100);

  absl::Duration interval_;
  absl::Time last_ = absl::InfinitePast();  // when the last event taken was due
};

}  // namespace opic::schedule
