#include "sample/lying_dates.h"

#include "base/encoding.h"
#include "base/rng.h"

namespace opic::sample {

DateHabit HabitOf(const Web& web, uint32_t site, double share) {
  base::Rng rng(base::Hash64("dates", web.seed) ^ base::Mix64(site));
  if (rng.Uniform() >= share) return DateHabit::kTrue;
  constexpr DateHabit kLies[] = {DateHabit::kMissing, DateHabit::kNow, DateHabit::kFirst};
  return kLies[rng.Below(3)];
}

std::optional<absl::Time> ReportedDate(DateHabit habit, absl::Time modified, absl::Time first,
                                       absl::Time now) {
  const auto whole = [](absl::Time time) {
    return absl::FromUnixSeconds(absl::ToUnixSeconds(time));
  };
  switch (habit) {
    case DateHabit::kMissing:
      return std::nullopt;
    case DateHabit::kNow:
      return whole(now);
    case DateHabit::kFirst:
      return whole(first);
    default:
      return whole(modified);
  }
}

}  // namespace opic::sample
