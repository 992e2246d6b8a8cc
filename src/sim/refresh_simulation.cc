#include "sim/refresh_simulation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "refresh/change_rate.h"
#include "refresh/due_time.h"

namespace opic::sim {
namespace {

using refresh::kObsolescenceExponent;

constexpr double kCycle = 10 * 86'400;  // seconds
constexpr double kDeviation = 1.5;      // of ln(w) and ln(rate)
constexpr double kFloor = 0.1 / kCycle, kCap = 10 / kCycle;
constexpr double kDriftStep = 0.5;  // cycles

absl::Time TimeOf(double seconds) {
  return absl::FromUnixSeconds(1'000'000'000) + absl::Seconds(seconds);
}
double SecondsOf(absl::Time time) { return absl::ToDoubleSeconds(time - TimeOf(0)); }

double Exponential(base::Rng& rng) { return -std::log(1 - rng.Uniform()); }

// What a step of the drift leaves of ln(rate).
double KeptInAStep(double drift_cycles) { return std::exp(-kDriftStep / drift_cycles); }

// (3.5), of one page.
double MeanCost(double importance, double rate, double frequency) {
  return importance * std::pow(rate / frequency, kObsolescenceExponent) /
         (kObsolescenceExponent + 1);
}

}  // namespace

double NormalNumber(base::Rng& rng) {
  const double radius = std::sqrt(2 * Exponential(rng));
  return radius * std::cos(2 * std::numbers::pi * rng.Uniform());
}

RefreshSimulation::RefreshSimulation(uint32_t pages, uint64_t seed, const RefreshScenario& scenario)
    : scenario_(scenario),
      rng_(seed),
      pages_(pages),
      frequencies_({.floor = kFloor, .cap = kCap, .bandwidth = pages / kCycle}),
      due_(pages) {
  for (Page& page : pages_) {
    page.importance = std::exp(kDeviation * NormalNumber(rng_));
    page.rate = std::exp(kDeviation * NormalNumber(rng_)) / kCycle;
    importance_ += page.importance;
  }
  const bool known = scenario.knowledge == RateKnowledge::kKnown;
  if (scenario.exact) {
    const bool drifts = scenario.drift_cycles > 0;
    posterior_.emplace(
        pages, kDeviation, kCycle,
        drifts ? RateDrift{.step = kDriftStep * kCycle, .kept = KeptInAStep(scenario.drift_cycles)}
               : RateDrift{});
  }
  const double unknown = PosteriorRate({}, refresh::UnknownRate()).rate.mean;
  for (Page& page : pages_) {
    page.weight = WeightOf(page, known ? page.rate : unknown);
    frequencies_.Add(page.weight);
  }
  for (uint32_t number = 0; number < pages; ++number) {
    Begin(pages_[number]);
    if (!known) Learn(pages_[number], number, pages_[number].fetched, true);
  }
  for (uint32_t number = 0; number < pages; ++number) {
    Page& page = pages_[number];
    if (!known) page.due = TimeOf(page.fetched + 1 / frequencies_.Of(page.weight));
    due_.Set(number, -SecondsOf(page.due));
  }
}

refresh::RefreshWeight RefreshSimulation::WeightOf(const Page& page, double rate) const {
  const auto exactly = [](double x) {
    return refresh::RefreshWeight::Of(std::pow(x, kObsolescenceExponent + 1), 1);
  };
  switch (scenario_.rule) {
    case RefreshRule::kUniform:
      return exactly(1);
    case RefreshRule::kByRate:
      return exactly(rate);
    case RefreshRule::kByImportance:
      return exactly(page.importance);
    case RefreshRule::kOptimal:
      break;
  }
  return refresh::RefreshWeight::Of(page.importance, rate);
}

void RefreshSimulation::Begin(Page& page) {
  if (scenario_.knowledge == RateKnowledge::kKnown) {
    const double period = 1 / frequencies_.Of(page.weight);
    page.fetched = -period * rng_.Uniform();
    page.due = TimeOf(page.fetched + period);
  } else {
    page.fetched = -kCycle * rng_.Uniform();
  }
  page.distance = -page.fetched * page.rate;  // at time 0, from where costs are counted
}

// The integral of (3.1) over the time since `mark`.
void RefreshSimulation::CountUntil(Page& page, double now) {
  const double after = page.distance + page.rate * (now - page.mark);
  constexpr double kPower = kObsolescenceExponent + 1;
  cost_ += page.importance * (std::pow(after, kPower) - std::pow(page.distance, kPower)) /
           (kPower * page.rate);
  fresh_ += page.importance * (std::exp(-page.distance) - std::exp(-after)) / page.rate;
  page.distance = after, page.mark = now;
}

void RefreshSimulation::Learn(Page& page, uint32_t number, double now, bool first) {
  // Backwards in time, too, changes are a Poisson process: the last one was one exponential number
  // of changes ago.
  const double back = Exponential(rng_);
  const bool dated = scenario_.knowledge == RateKnowledge::kDates ||
                     (scenario_.knowledge == RateKnowledge::kBoth && number % 2 == 0);
  refresh::ChangeObservation seen{.fetched = TimeOf(now)};
  if (!first) {
    seen.previous = TimeOf(page.fetched), seen.changed = back < page.distance;
  }
  if (dated && (first || seen.changed)) {
    seen.last_change = TimeOf(TimeOfLast(page, now, back, first));
  }
  const refresh::RefreshWeight weight = WeightOf(page, RateAfter(page, number, seen));
  frequencies_.Change(page.weight, weight);
  page.weight = weight;
}

double RefreshSimulation::TimeOfLast(const Page& page, double now, double back, bool first) const {
  if (first) return now - back / page.rate;
  const double distance = page.distance - back;  // of the change, since the last fetch
  Mark from{page.fetched, 0}, to{now, page.distance};
  for (const Mark& mark : page.marks) {
    if (mark.distance > distance) {
      to = mark;
      break;
    }
    from = mark;
  }
  return from.time +
         (to.time - from.time) * (distance - from.distance) / (to.distance - from.distance);
}

double RefreshSimulation::RateAfter(Page& page, uint32_t number,
                                    const refresh::ChangeObservation& seen) {
  const bool first = seen.previous == absl::InfinitePast();
  const double seconds = first ? 0 : absl::ToDoubleSeconds(seen.fetched - seen.previous);
  if (posterior_) return ExactRateAfter(number, seen);
  const refresh::RateDistribution prior = group_.Prior(unknown_);
  if (scenario_.memory_learnt) memory_.Observe(PageId(ShardId{0}, number), seen, prior);
  page.history.Observe(seen, scenario_.memory_learnt ? memory_.memory() : scenario_.memory);
  const refresh::RatePosterior rate = PosteriorRate(page.history, prior);
  group_.Observe(rate.distribution, seconds, !page.counted);
  page.counted = page.counted || seconds > 0;
  return rate.rate.mean;
}

double RefreshSimulation::ExactRateAfter(uint32_t number, const refresh::ChangeObservation& seen) {
  const double now = SecondsOf(seen.fetched);
  if (seen.last_change.has_value()) {
    const double change = SecondsOf(*seen.last_change);
    const bool first = seen.previous == absl::InfinitePast();
    posterior_->ObserveDate(number, first ? change : SecondsOf(seen.previous), change, now);
  } else if (seen.changed) {
    posterior_->ObserveChange(number, SecondsOf(seen.previous), now);
  } else if (seen.previous != absl::InfinitePast()) {
    posterior_->ObserveQuiet(number, SecondsOf(seen.previous), now);
  }
  return posterior_->RateOf(number);
}

void RefreshSimulation::Fetch(uint32_t number, double now) {
  Page& page = pages_[number];
  CountUntil(page, now);
  if (scenario_.knowledge != RateKnowledge::kKnown) Learn(page, number, now, false);
  page.fetched = now, page.distance = 0, page.marks.clear();
  page.due = refresh::NextDue(page.due, TimeOf(now), frequencies_.Of(page.weight));
  due_.Set(number, -SecondsOf(page.due));
  ++fetches_;
}

void RefreshSimulation::Drift(double now) {
  const double kept = KeptInAStep(scenario_.drift_cycles);
  const double fresh = kDeviation * std::sqrt(1 - kept * kept);
  const bool known = scenario_.knowledge == RateKnowledge::kKnown;
  for (Page& page : pages_) {
    CountUntil(page, now);
    page.marks.push_back({now, page.distance});
    page.rate = std::exp(std::log(page.rate * kCycle) * kept + fresh * NormalNumber(rng_)) / kCycle;
    if (!known) continue;
    const refresh::RefreshWeight weight = WeightOf(page, page.rate);
    const double before = frequencies_.Of(page.weight);
    frequencies_.Change(page.weight, weight);
    page.weight = weight;
    page.due = refresh::MovedDue(page.due, TimeOf(now), before, frequencies_.Of(weight));
  }
  if (!known) return;
  for (uint32_t number = 0; number < pages_.size(); ++number) {
    due_.Set(number, -SecondsOf(pages_[number].due));
  }
}

double RefreshSimulation::PlannedCost() const {
  double cost = 0;
  for (const Page& page : pages_) {
    cost += MeanCost(page.importance, page.rate, frequencies_.Of(page.weight));
  }
  return cost;
}

// From the weights themselves, by halving, and not with Frequencies.
double RefreshSimulation::OptimalCost() const {
  std::vector<double> weights;
  weights.reserve(pages_.size());
  for (const Page& page : pages_) {
    weights.push_back(std::pow(page.importance * std::pow(page.rate, kObsolescenceExponent),
                               1 / (kObsolescenceExponent + 1)));
  }
  double low = 1e-30, high = 1e30;
  for (int i = 0; i < 70; ++i) {
    const double m = std::sqrt(low * high);
    double sum = 0;
    for (const double weight : weights) sum += std::clamp(m * weight, kFloor, kCap);
    (sum < static_cast<double>(pages_.size()) / kCycle ? low : high) = m;
  }
  double cost = 0;
  for (size_t i = 0; i < pages_.size(); ++i) {
    cost +=
        MeanCost(pages_[i].importance, pages_[i].rate, std::clamp(low * weights[i], kFloor, kCap));
  }
  return cost;
}

RefreshFigures RefreshSimulation::Run(double cycles) {
  const auto slots = static_cast<uint64_t>(cycles * static_cast<double>(pages_.size()));
  const auto step =
      std::max<uint64_t>(1, static_cast<uint64_t>(kDriftStep * static_cast<double>(pages_.size())));
  const double slot_seconds = kCycle / static_cast<double>(pages_.size());
  RefreshFigures figures;
  double optima = 0;
  cost_ = fresh_ = 0, fetches_ = 0;
  for (uint64_t i = 0; i < slots; ++i, ++slot_) {
    const double now = static_cast<double>(slot_) * slot_seconds;
    if (scenario_.drift_cycles > 0 && slot_ % step == 0) {
      Drift(now);
      figures.optimum += OptimalCost(), figures.planned += PlannedCost(), ++optima;
    }
    const uint32_t next = due_.Top();
    if (pages_[next].due <= TimeOf(now)) Fetch(next, now);
  }
  const double end = static_cast<double>(slot_) * slot_seconds;
  for (Page& page : pages_) CountUntil(page, end);
  if (optima == 0) figures.optimum = OptimalCost(), figures.planned = PlannedCost(), optima = 1;
  figures.optimum /= optima, figures.planned /= optima;
  const double seconds = static_cast<double>(slots) * slot_seconds;
  figures.cost = cost_ / seconds;
  figures.fresh = fresh_ / seconds / importance_;
  figures.bandwidth = static_cast<double>(fetches_) / static_cast<double>(slots);
  return figures;
}

}  // namespace opic::sim
