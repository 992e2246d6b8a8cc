#include "node/refresh_rate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace opic::node {
namespace {

using refresh::Frequencies;
using schedule::RefreshDemand;

constexpr absl::Duration kMeasureFor = absl::Seconds(10);
constexpr double kSpareMin = 1.0 / 16;        // of the rate: less is none,
constexpr double kSpareWaitedFor = 1.0 / 64;  // or where pages wait for it alone
// What is not used is planned once more until this much is left; all of what is not fetched would
// not be: where all is in use, too, pages wait for the rate, which is dearer.
constexpr double kLeftUnused = 1.0 / 32;
constexpr double kBorneMin = 1.0 / 8;
constexpr double kTakenBackFaster = 12;  // than it is given
constexpr double kAsksForAll = 0.99;     // of the rate: a plan with less has too few pages
constexpr double kWaiting = 1.0 / 4;     // of the rate: pages wait for something else than hosts
constexpr absl::Duration kRoundMin = absl::Minutes(2);
constexpr double kBorrowedMin = 0.01;    // of the bandwidth: a change by less is none
constexpr double kRateLeast = 1.0 / 64;  // of the own one
constexpr absl::Duration kTurnsOfNobody = absl::Milliseconds(100);
constexpr double kTurnsSavedMax = 512;  // one answer to the scheduler (loop_offers.cc)
constexpr double kGrowthMax = 1.05;     // of the plan, from one exchange to the next

}  // namespace

RefreshRate::RefreshRate(const RefreshOptions& options, absl::Time now)
    : own_rate_(options.pages_per_s), own_share_(options.share), measured_(now) {}

void RefreshRate::Tune(const RefreshOptions& options) {
  if (options.pages_per_s != own_rate_) borne_ = 1;  // it is another one for another rate
  own_rate_ = options.pages_per_s;
  own_share_ = options.share;
  lent_ = std::min(lent_, discovery_part());
}

double RefreshRate::bandwidth() const { return std::max(0.0, own_bandwidth() + borrowed_); }

double RefreshRate::planned() const { return std::max(0.0, bandwidth() - fixed_) / borne_; }

// However much is lent, pages that were just found are read at the pace of discovery.
double RefreshRate::rate(bool all_read) const {
  const double least = all_read ? kRateLeast * own_rate_ : discovery_part();
  return std::max({own_rate_ + borrowed_, least, kRateLeast * own_rate_});
}

double RefreshRate::share(bool all_read) const {
  return std::clamp((own_rate_ * own_share_ + borrowed_) / rate(all_read), 0.0, 1.0);
}

void RefreshRate::NoteFetcher(uint64_t requests, bool all_in_use) {
  requests_ = requests;
  ++turns_;
  turns_in_use_ += all_in_use;
}

void RefreshRate::Step(const Waiting& waiting, const Frequencies& plan, absl::Time now) {
  MeasureUse(waiting, plan, now);
  CountTurns(waiting, now);
}

void RefreshRate::MeasureUse(const Waiting& waiting, const Frequencies& plan, absl::Time now) {
  if (now < measured_) {
    measured_ = now, fetched_ = 0, requests_before_ = requests_;
  }
  if (now < measured_ + kMeasureFor) {
    if (waiting.all_read) lent_ = discovery_part();
    return;
  }
  const absl::Duration measured = now - measured_;
  const auto made = static_cast<double>(std::max(fetched_, requests_ - requests_before_));
  const double spare = rate(waiting.all_read) - made / absl::ToDoubleSeconds(measured);
  const double lent = LentAfter(waiting, spare);
  borne_ = BorneAfter(waiting, plan, spare, measured);
  lent_ = lent;
  measured_ = now;
  fetched_ = 0;
  requests_before_ = requests_;
  turns_ = turns_in_use_ = 0;
  waited_for_turn_ = false;
}

// Discovery's part of the bandwidth is lent while nothing is left to discover. What is left may be
// pages that cannot be fetched now, or pages that due ones keep from being fetched: so what is not
// fetched at all is lent, all of it where pages wait for nothing else (TakeTurn), else a half of it
// at a time, and taken back in eighths when all is in use, or pages that are due wait already.
double RefreshRate::LentAfter(const Waiting& waiting, double spare) const {
  const double part = discovery_part(), all = rate(waiting.all_read);
  if (waiting.all_read) return part;
  if (waited_for_turn_ && spare > kSpareWaitedFor * all) return std::min(lent_ + spare, part);
  const bool could_be_used = !waiting.due && spare > kSpareMin * all;
  const double change = could_be_used ? spare / 2 : borrowed_ < 0 ? -part : -part / 8;
  return std::clamp(lent_ + change, 0.0, part);
}

// Hosts allow a page a delay, and some less than the plan wants. Their pages are read less often,
// in one ratio (scheduler/refresh_order.h), and the best use of what is left is that all others are
// read more often, in one ratio, too: that is the plan with a greater multiplier, which changes
// nothing for the pages of such hosts. How much greater shows what is fetched of it. A page follows
// when it is read the next time, so this takes some rounds of all pages.
double RefreshRate::BorneAfter(const Waiting& waiting, const Frequencies& plan, double spare,
                               absl::Duration measured) {
  const double all = rate(waiting.all_read);
  if (bandwidth() <= 0) return borne_;
  // No more can be for the hosts than what the plan wants of pages that are offered and not read.
  const double least = std::max(kBorneMin, bandwidth() / (bandwidth() + waiting.rate_wanted));
  const bool paused = fetched_ == 0, lends = lent_ >= discovery_part();
  if (paused || !lends) return std::max(borne_, least);
  if (plan.planned() + fixed_ < kAsksForAll * all) return 1;
  const absl::Duration round =
      std::max(kRoundMin, absl::Seconds(static_cast<double>(plan.pages()) / bandwidth()));
  // Some fetches more or less in ten seconds say nothing.
  const double now = std::min(1.0, absl::FDivDuration(measured, round / 4));
  unused_ += now * (spare / all - unused_);
  double too_much = unused_ - kLeftUnused;
  const bool all_in_use = turns_in_use_ > turns_ / 4;
  if (waiting.due || all_in_use) too_much = -kWaiting;
  if (too_much < 0) too_much *= kTakenBackFaster;
  const double step = std::min(0.25, absl::FDivDuration(measured, 2 * round));
  return std::clamp(borne_ * (1 - step * too_much), least, 1.0);
}

// What pages that are due do not take is not saved up, but for a tenth of a second; while they wait
// it is, since the scheduler asks for pages as seldom as it has many to discover.
void RefreshRate::CountTurns(const Waiting& waiting, absl::Time now) {
  const double pages_per_s = std::max(bandwidth(), kRateLeast * own_rate_);
  const absl::Duration passed = std::max(now - turns_counted_, absl::ZeroDuration());
  turns_counted_ = now;
  const double burst = 1 + pages_per_s * absl::ToDoubleSeconds(kTurnsOfNobody);
  const bool saves = waiting.due && !waiting.all_read;
  const double most = saves ? std::max(burst, kTurnsSavedMax * own_share_) : burst;
  turns_of_due_ = std::min(turns_of_due_ + pages_per_s * absl::ToDoubleSeconds(passed), most);
}

// The scheduler gives hosts their turns, whichever pages they have: hosts with pages that are due,
// which are many, would leave those with the last pages to discover less than their part.
bool RefreshRate::TakeTurn(bool all_read) {
  if (discovery_part() <= 0 || all_read) return true;
  if (turns_of_due_ < 1) {
    waited_for_turn_ = true;
    return false;
  }
  --turns_of_due_;
  return true;
}

// What the plan asks for, told around the multiplier of this exponent.
RefreshDemand RefreshRate::DemandAround(int exponent, const Frequencies& plan) const {
  RefreshDemand demand;
  demand.rate = own_bandwidth();
  demand.first = std::clamp(exponent, -RefreshDemand::kExponentMax, RefreshDemand::kExponentMax) -
                 RefreshDemand::kPoints / 2;
  double before = demand.least = fixed_ + borne_ * plan.PlannedWith(0);
  // What is rounded does not fall.
  const auto planned = [&](double m) {
    return before = std::max(before, fixed_ + borne_ * plan.PlannedWith(m));
  };
  for (size_t i = 0; i < demand.planned.size(); ++i)
    demand.planned[i] = planned(schedule::MultiplierOf(demand.first + static_cast<int>(i)));
  demand.most = planned(std::numeric_limits<double>::infinity());
  return demand;
}

// Its part follows from what it has told before: so do the others compute theirs. A plan that grows
// fast asks for more than it has told; it shares nothing until it is steady.
const RefreshDemand& RefreshRate::ShareWith(absl::Span<const RefreshDemand> others, bool can_share,
                                            const Frequencies& plan) {
  double borrowed = 0;
  std::optional<int> around;
  shared_multiplier_ = 0;
  const bool grows =
      static_cast<double>(plan.pages()) > kGrowthMax * static_cast<double>(pages_shared_);
  pages_shared_ = plan.pages();
  if (!can_share || grows) {
    // It shares nothing.
  } else if (demand_.rate == 0) {
    around = schedule::ExponentOf(plan.multiplier());
  } else {
    const schedule::RefreshPart part = schedule::PartOf(demand_, others);
    borrowed = part.pages_per_s - demand_.rate;
    shared_multiplier_ = part.multiplier;
    around = part.exponent;
  }
  const double change = std::abs(borrowed - borrowed_);
  if (change > kBorrowedMin * bandwidth() || (borrowed == 0 && change > 0)) borrowed_ = borrowed;
  if (!around) return demand_ = {};
  // Far from what is needed every page is at its floor, or at its cap. The own multiplier is
  // nearer.
  const double m = plan.multiplier();
  const bool far = demand_.rate > 0 && demand_.planned.front() == demand_.planned.back();
  if (far && m > 0 && std::isfinite(m)) around = schedule::ExponentOf(m);
  return demand_ = DemandAround(*around, plan);
}

}  // namespace opic::node
