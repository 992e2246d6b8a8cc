#include "schedule/refresh_demand.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "schedule/rate_budget.h"

namespace opic::schedule {
namespace {

// With the multiplier of this exponent.
double PlannedAt(const RefreshDemand& demand, int exponent) {
  if (exponent < demand.first) return demand.least;
  const auto point = static_cast<size_t>(exponent - demand.first);
  return point < demand.planned.size() ? demand.planned[point] : demand.most;
}

}  // namespace

double MultiplierOf(int exponent) { return std::exp2(exponent / 2.0); }

int ExponentOf(double multiplier) {
  constexpr double kMax = RefreshDemand::kExponentMax;
  if (!(multiplier > 0)) return -RefreshDemand::kExponentMax;
  return static_cast<int>(std::lround(std::clamp(2 * std::log2(multiplier), -kMax, kMax)));
}

bool IsSound(const RefreshDemand& demand) {
  if (!std::isfinite(demand.rate) || !std::isfinite(demand.most) || demand.rate < 0) return false;
  constexpr int kFirstMax = 2 * RefreshDemand::kExponentMax;
  if (demand.rate > kPagesPerSecondMax) return false;
  if (demand.first < -kFirstMax || demand.first > kFirstMax) return false;
  double before = 0;
  const auto rises = [&](double next) { return next >= std::exchange(before, next); };
  return rises(demand.least) && std::all_of(demand.planned.begin(), demand.planned.end(), rises) &&
         rises(demand.most);
}

RefreshPart PartOf(const RefreshDemand& own, absl::Span<const RefreshDemand> others) {
  double rate = own.rate;
  int low = own.first, high = own.first + RefreshDemand::kPoints - 1;
  for (const RefreshDemand& other : others) {
    if (other.rate == 0) continue;
    rate += other.rate;
    low = std::min(low, other.first);
    high = std::max(high, other.first + RefreshDemand::kPoints - 1);
  }
  const auto all_at = [&](int exponent) {
    double sum = PlannedAt(own, exponent);
    for (const RefreshDemand& other : others) {
      if (other.rate > 0) sum += PlannedAt(other, exponent);
    }
    return sum;
  };
  const int centre = own.first + RefreshDemand::kPoints / 2;
  double below = all_at(low - 1);
  // The floors alone are too much: each has less in proportion.
  if (below >= rate) return {own.least * rate / below, 0, centre};
  for (int exponent = low; exponent <= high + 1; ++exponent) {
    const double above = all_at(exponent);
    if (above >= rate) {
      const double part = (rate - below) / (above - below);
      const bool told = exponent > low && exponent <= high;
      const double multiplier =
          told ? std::lerp(MultiplierOf(exponent - 1), MultiplierOf(exponent), part) : 0;
      return {std::lerp(PlannedAt(own, exponent - 1), PlannedAt(own, exponent), part), multiplier,
              exponent};
    }
    below = above;
  }
  // The caps leave something over: each keeps its part of that, for discovery.
  return {own.most + (rate - below) * own.rate / rate, 0, centre};
}

}  // namespace opic::schedule
