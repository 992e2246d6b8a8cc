// How much is fetched again of what was read before, and what the plan of it is like now.
#pragma once

#include <cstdint>

#include "absl/time/time.h"

namespace opic::node {

struct RefreshOptions {
  double pages_per_s = 0;  // of all fetches; 0: no page is read again by itself
  // Of it for pages that were read before, above 0 and at most 1; all of it while nothing is left to
  // discover.
  double share = 0.5;
  // Bounds of the time between two readings of a page; at least a second.
  absl::Duration shortest = absl::Hours(1), longest = absl::Hours(24 * 90);
  bool on() const { return pages_per_s > 0; }
};

struct RefreshStats {
  bool on = false;
  bool counting = false;    // not all rows were counted yet
  uint64_t planned = 0;     // pages that are to be read again
  uint64_t due = 0;         // that are due, and were not offered yet
  double bandwidth = 0;     // fetches a second for them, now
  double planned_rate = 0;  // that the plan asks for
};

}  // namespace opic::node
