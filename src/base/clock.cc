#include "base/clock.h"

#include "absl/time/clock.h"

namespace opic::base {

absl::Time RealClock::Now() { return absl::Now(); }

RealClock& RealClock::Get() {
  static RealClock& clock = *new RealClock;
  return clock;
}

absl::Time ManualClock::Now() {
  absl::MutexLock lock(&mu_);
  return now_;
}

void ManualClock::Advance(absl::Duration by) {
  absl::MutexLock lock(&mu_);
  now_ += by;
}

}  // namespace opic::base
