// When a page is due. Due times are fractional: each follows from the one before, not from the
// fetch, so that fetches that come a little late cost no bandwidth (a scan for "elapsed >= 1 / f"
// every cycle rounds each period up to whole cycles, and spends 87 % of B).
//
// Pure functions; total. Frequencies in fetches a second; one that is not above 0 is never due.
#pragma once

#include <algorithm>

#include "absl/time/time.h"

namespace opic::refresh {

inline absl::Duration Period(double frequency) {
  return frequency > 0 ? absl::Seconds(1 / frequency) : absl::InfiniteDuration();
}

// The next due time of a page that was due at `due` and fetched at `fetched`. A page that was
// fetched early (idle bandwidth, a publication) begins its period anew: even intervals are best
// (thesis 3.3). One that was late is next due as if it had not been, but not sooner than half a
// period from now: what was missed in an outage is not made up.
inline absl::Time NextDue(absl::Time due, absl::Time fetched, double frequency) {
  const absl::Duration period = Period(frequency);
  return std::max(std::min(due, fetched) + period, fetched + period / 2);
}

// The due time of a page whose frequency changes at `now`: the part of the period that is left
// stays the same.
inline absl::Time MovedDue(absl::Time due, absl::Time now, double from, double to) {
  if (!(to > 0)) return absl::InfiniteFuture();
  if (due <= now || from == to) return due;
  if (!(from > 0) || due == absl::InfiniteFuture()) return now + Period(to);
  return now + (due - now) * (from / to);
}

}  // namespace opic::refresh
