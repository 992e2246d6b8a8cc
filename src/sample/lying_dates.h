// What the hosts of the sample web say of when a page last changed. Some lie.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "sample/web.h"

namespace opic::sample {

enum class DateHabit : uint8_t {
  kTrue,
  kMissing,  // no dates at all
  kNow,      // every page changed just now, as generated pages often say
  kFirst,    // the date of the page's beginning, whatever changed since
};

// The same for the same web. `share` of the hosts lie, in one of the three ways each.
DateHabit HabitOf(const Web& web, uint32_t site, double share);

// In whole seconds, as HTTP has it. `first`: when the page was made.
std::optional<absl::Time> ReportedDate(DateHabit habit, absl::Time modified, absl::Time first,
                                       absl::Time now);

}  // namespace opic::sample
