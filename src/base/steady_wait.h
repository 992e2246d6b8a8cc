// Waiting for a time by the monotonic clock. The timed waits of absl::Mutex go by the wall clock:
// one that was set back while they wait makes them wait for as much longer.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/time/time.h"

namespace opic::base {

// A wait is cut to this: the clock's own sums must not overflow.
inline constexpr absl::Duration kSteadyWaitMax = absl::Hours(24);

// Waits until `ready()` or for `patience`; whether it is ready. `lock` holds the mutex under which
// `ready` looks, and holds it again afterwards. Who makes it ready notifies `changed`.
template <typename Ready>
bool AwaitSteadily(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                   absl::Duration patience, Ready ready) {
  patience = std::clamp(patience, absl::ZeroDuration(), kSteadyWaitMax);
  return changed.wait_for(lock, absl::ToChronoNanoseconds(patience), ready);
}

}  // namespace opic::base
