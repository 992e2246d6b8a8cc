#include "base/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace opic::base {

absl::Time RealClock::Now() { return absl::Now(); }

absl::Time RealClock::Steady() {
  using std::chrono::steady_clock;
  static const absl::Time begin = absl::Now();
  static const steady_clock::time_point zero = steady_clock::now();
  return begin + absl::FromChrono(steady_clock::now() - zero);
}

RealClock& RealClock::Get() {
  static RealClock& clock = *new RealClock;
  return clock;
}

absl::Time ManualClock::Now() {
  absl::MutexLock lock(&mu_);
  return now_;
}

absl::Time ManualClock::Steady() {
  absl::MutexLock lock(&mu_);
  return steady_;
}

void ManualClock::Advance(absl::Duration by) {
  absl::MutexLock lock(&mu_);
  now_ += by;
  steady_ += by;
}

void ManualClock::Step(absl::Duration by) {
  absl::MutexLock lock(&mu_);
  now_ += by;
}

}  // namespace opic::base
