// A clock whose wall time is set again and again, by up to an hour in either direction, as by an
// operator, a daemon that knows better, or a machine that was moved. No time passes by that.
#pragma once

#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "base/rng.h"

namespace opic::support {

// Thread safety: synchronised inside.
class JumpingClock final : public base::Clock {
 public:
  explicit JumpingClock(uint64_t seed) : rng_(seed) {}

  absl::Time Now() override {
    absl::MutexLock lock(&mu_);
    const absl::Time now = Steady();
    if (now >= next_) {
      next_ = now + absl::Milliseconds(100 * rng_.Uniform());
      ahead_ = absl::Hours(2 * rng_.Uniform() - 1);
    }
    return now + ahead_;
  }
  absl::Time Steady() override { return base::RealClock::Get().Steady(); }

 private:
  absl::Mutex mu_;
  base::Rng rng_ ABSL_GUARDED_BY(mu_);
  absl::Time next_ ABSL_GUARDED_BY(mu_) = absl::InfinitePast();
  absl::Duration ahead_ ABSL_GUARDED_BY(mu_) = absl::ZeroDuration();
};

}  // namespace opic::support
