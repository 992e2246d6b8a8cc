// The web's own time, which may run faster than the wall's.
#pragma once

#include "absl/time/time.h"
#include "sample/options.h"

namespace opic::sample {

// REQUIRES: a start.
inline absl::Time WebTime(const Changes& changes, absl::Time wall) {
  return changes.start + (wall - changes.start) * changes.time_factor;
}

}  // namespace opic::sample
