// Time as an argument: nothing below `node` and `scheduler` reads a real clock.
#pragma once

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace opic::base {

// Thread safety: synchronised inside.
class Clock {
 public:
  virtual ~Clock() = default;
  // Wall time; may step, both ways. For records and for what outlives the process (expiry).
  virtual absl::Time Now() = 0;
  // For durations, pauses and deadlines: goes on evenly from the wall time at which the process
  // began, whatever becomes of that. Means nothing to another process.
  virtual absl::Time Steady() = 0;
};

class RealClock final : public Clock {
 public:
  absl::Time Now() override;
  absl::Time Steady() override;
  // The process-wide instance; never destroyed.
  static RealClock& Get();
};

// A clock that moves only when told, for tests and simulation.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(absl::Time now = absl::FromUnixSeconds(1'000'000'000))
      : now_(now), steady_(now) {}
  absl::Time Now() override;
  absl::Time Steady() override;
  void Advance(absl::Duration by);
  // The wall clock is set; no time passes.
  void Step(absl::Duration by);

 private:
  absl::Mutex mu_;
  absl::Time now_ ABSL_GUARDED_BY(mu_), steady_ ABSL_GUARDED_BY(mu_);
};

}  // namespace opic::base
