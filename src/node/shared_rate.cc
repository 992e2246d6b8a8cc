// Implements a part of node/refresh_plan.h. What there is for pages that were read before: of the
// node's own rate, and of the cluster's.
#include <algorithm>
#include <cmath>

#include "node/refresh_plan.h"

namespace opic::node {
namespace {

using schedule::RefreshDemand;

constexpr absl::Duration kMeasureFor = absl::Seconds(10);
constexpr double kSpareMin = 1.0 / 16;  // of the rate: less is none
constexpr double kBorrowedMin = 0.01;   // of the bandwidth: a change by less is none

}  // namespace

// Discovery's part of the bandwidth is lent while nothing is left to discover. What is left may be
// pages that cannot be fetched now, or pages that due ones keep from being fetched: so what is not
// fetched at all is lent, a half of it at a time, and taken back in eighths when all is in use, or
// pages that are due wait already.
void RefreshPlan::LendOrTakeBack(absl::Time now) {
  if (now < measured_) measured_ = now, fetched_ = 0;
  if (now < measured_ + kMeasureFor) return;
  const double seconds = absl::ToDoubleSeconds(now - measured_);
  const double part = options_.pages_per_s * (1 - options_.share);
  const double spare = rate() - static_cast<double>(fetched_) / seconds;
  const page_table::Totals totals = ledger_.books().table().totals();
  const bool all_read = totals.pages - totals.done <= offered_.size();
  const bool could_be_used = due_.empty() && spare > kSpareMin * rate();
  const double change = could_be_used ? spare / 2 : -part / 8;
  const double lent = all_read ? part : std::clamp(lent_ + change, 0.0, part);
  measured_ = now;
  fetched_ = 0;
  if (lent == lent_) return;
  lent_ = lent;
  frequencies_.SetBandwidth(planned_bandwidth());
}

// What the plan asks for, told around the multiplier of this exponent.
RefreshDemand RefreshPlan::DemandAround(int exponent) const {
  RefreshDemand demand;
  demand.rate = own_bandwidth();
  demand.first = std::clamp(exponent, -RefreshDemand::kExponentMax, RefreshDemand::kExponentMax) -
                 RefreshDemand::kPoints / 2;
  double before = demand.least = fixed_rate_ + frequencies_.PlannedWith(0);
  // What is rounded does not fall.
  const auto planned = [&](double m) {
    return before = std::max(before, fixed_rate_ + frequencies_.PlannedWith(m));
  };
  for (size_t i = 0; i < demand.planned.size(); ++i)
    demand.planned[i] = planned(schedule::MultiplierOf(demand.first + static_cast<int>(i)));
  demand.most = planned(std::numeric_limits<double>::infinity());
  return demand;
}

// Its part follows from what it has told before: so do the others compute theirs.
const RefreshDemand& RefreshPlan::ShareRate(bool can_fetch,
                                            absl::Span<const RefreshDemand> others) {
  double borrowed = 0;
  if (!can_fetch || count_from_) {
    demand_ = {};
  } else if (demand_.rate == 0) {
    demand_ = DemandAround(schedule::ExponentOf(frequencies_.multiplier()));
  } else {
    const schedule::RefreshPart part = schedule::PartOf(demand_, others);
    borrowed = part.pages_per_s - demand_.rate;
    demand_ = DemandAround(part.exponent);
  }
  const double change = std::abs(borrowed - borrowed_);
  if (change > kBorrowedMin * bandwidth() || (borrowed == 0 && change > 0)) {
    borrowed_ = borrowed;
    frequencies_.SetBandwidth(planned_bandwidth());
  }
  return demand_;
}

double RefreshPlan::share() const {
  return std::clamp((options_.pages_per_s * options_.share + borrowed_) / rate(), 0.0, 1.0);
}

}  // namespace opic::node
