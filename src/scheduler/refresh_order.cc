#include "scheduler/refresh_order.h"

#include <algorithm>
#include <cmath>

#include "schedule/refresh_cash.h"

namespace opic::scheduler {
namespace {

constexpr uint64_t kLatest = uint64_t{1} << 62;           // cash of a deadline at the epoch
constexpr int64_t kDeadlineMaxMs = int64_t{1} << 50;      // in 35,000 years
constexpr double kPeriodSteps = 4, kStretchSteps = 32;    // codes in an octave
constexpr double kPeriodCodeMax = 127, kStretchMax = 64;  // a stretch has 8 bits, too
constexpr float kRemembered = 32;                         // pages taken
// What is due before that is to be read at once, as an operator has said.
const absl::Time kFirstPlanned = absl::UnixEpoch() + absl::Hours(24 * 365);

uint64_t CodeOf(double value, double steps, double most) {
  return static_cast<uint64_t>(std::clamp(std::round(std::log2(value) * steps), 0.0, most));
}

double ValueOf(uint64_t code, double steps) { return std::exp2(static_cast<double>(code) / steps); }

absl::Time DeadlineOf(const QueuedPage& page) {
  return absl::FromUnixMillis(static_cast<int64_t>(kLatest - page.cash));
}

}  // namespace

void RefreshOrder::Place(absl::Time due, cash::Amount cash, QueuedPage& page) const {
  const absl::Duration period = schedule::PeriodOf(cash);
  page.period = CodeOf(absl::ToDoubleSeconds(period), kPeriodSteps, kPeriodCodeMax);
  page.stretch = CodeOf(stretch_, kStretchSteps, kStretchSteps * std::log2(kStretchMax));
  const absl::Time deadline = due + period * (ValueOf(page.stretch, kStretchSteps) - 1);
  const int64_t ms = std::clamp<int64_t>(absl::ToUnixMillis(deadline), 0, kDeadlineMaxMs);
  page.cash = kLatest - static_cast<uint64_t>(ms);
}

void RefreshOrder::Taken(const QueuedPage& page, absl::Time now) {
  if (!page.refresh || page.attempts > 0 || page.cash > kLatest || page.cash <= kPutOffMax) return;
  if (DeadlineOf(page) < kFirstPlanned) return;  // it says nothing of the host
  const double late = absl::ToDoubleSeconds(now - DeadlineOf(page));
  const double stretch =
      ValueOf(page.stretch, kStretchSteps) + late / ValueOf(page.period, kPeriodSteps);
  stretch_ += (static_cast<float>(std::clamp(stretch, 1.0, kStretchMax)) - stretch_) / kRemembered;
}

}  // namespace opic::scheduler
