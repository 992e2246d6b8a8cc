#include "refresh/rate_group.h"

#include <algorithm>

namespace opic::refresh {
namespace {

// A group of this many pages tells as much as its parent.
constexpr double kParentPages = 4;
// Visits that the mean looks back on.
constexpr double kRemembered = 4096;
constexpr double kPagesMax = 0x1p50;
// Of a visit; shorter and longer ones count as these.
constexpr double kVisitSecondsMin = 1, kVisitSecondsMax = 0x1p31;

// `part` of `b`, and the rest of `a`.
RateDistribution Mixed(const RateDistribution& a, const RateDistribution& b, double part) {
  const auto of_b = static_cast<float>(part);
  RateDistribution mixed;
  for (size_t i = 0; i < RateDistribution::kCorners; ++i) {
    mixed.weights[i] = (1 - of_b) * a.weights[i] + of_b * b.weights[i];
  }
  return mixed;
}

}  // namespace

void RateGroup::Observe(const RateDistribution& rate, double seconds, bool new_page) {
  if (!(seconds > 0)) return;
  if (new_page) pages_ = std::min(pages_ + 1, kPagesMax);
  seconds_ *= 1 - 1 / kRemembered;
  Add(rate, seconds);
}

void RateGroup::Count(const RateDistribution& rate, double seconds) {
  if (!(seconds > 0)) return;
  pages_ = std::min(pages_ + 1, kPagesMax);
  Add(rate, seconds);
}

void RateGroup::Add(const RateDistribution& rate, double seconds) {
  seconds = std::clamp(seconds, kVisitSecondsMin, kVisitSecondsMax);
  seconds_ += seconds;
  mean_ = Mixed(mean_, rate, seconds / seconds_);
}

RateDistribution RateGroup::Prior(const RateDistribution& parent) const {
  return Mixed(parent, mean_, pages_ / (pages_ + kParentPages));
}

}  // namespace opic::refresh
