#include "refresh/rate_group.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/encoding.h"

namespace opic::refresh {
namespace {

// A group of this many pages tells as much as its parent.
constexpr double kParentPages = 4;
// Visits that the means look back on.
constexpr double kRemembered = 4096;
constexpr double kPagesMax = 0x1p50;
// Of a visit; shorter and longer ones count as these.
constexpr double kVisitSecondsMin = 1, kVisitSecondsMax = 0x1p31;
// Rates count as no smaller than once in 10^16 years, so that nothing odd outweighs all else.
constexpr double kLogarithmMin = -54;
// For what sums of rounded numbers are off by.
constexpr double kRounding = 1e-6;

bool IsKnown(const RateDistribution& rate) {
  return rate.changes > 0 && rate.seconds > 0 && std::isfinite(rate.changes + rate.seconds);
}

double SmallestRate() { return std::exp(kLogarithmMin); }

double LogarithmOf(const RateDistribution& rate) {
  return std::clamp(rate.mean_of_logarithm(), kLogarithmMin, 0.0);
}

}  // namespace

void RateGroup::Observe(const RateDistribution& rate, double seconds, bool new_page) {
  if (!(seconds > 0) || !IsKnown(rate)) return;
  if (new_page) pages_ = std::min(pages_ + 1, kPagesMax);
  seconds = std::clamp(seconds, kVisitSecondsMin, kVisitSecondsMax);
  const double before = seconds_ * (1 - 1 / kRemembered);
  seconds_ = before + seconds;
  // As sums, not as steps from the old mean: those would cancel when a mean falls far.
  const double mean = std::max(rate.mean(), SmallestRate());
  mean_ = (mean_ * before + mean * seconds) / seconds_;
  mean_of_logarithm_ = (mean_of_logarithm_ * before + LogarithmOf(rate) * seconds) / seconds_;
}

// The mean of the logarithm is at most the logarithm of the mean (Jensen).
bool RateGroup::IsPossible() const {
  if (*this == RateGroup()) return true;
  return pages_ >= 0 && pages_ <= kPagesMax && seconds_ >= kVisitSecondsMin &&
         seconds_ <= kRemembered * kVisitSecondsMax * (1 + kRounding) &&
         mean_ >= SmallestRate() * (1 - kRounding) && mean_ <= kRateMax &&
         mean_of_logarithm_ >= kLogarithmMin - kRounding &&
         mean_of_logarithm_ <= std::log(mean_) + kRounding;
}

RateDistribution RateGroup::Prior(const RateDistribution& parent) const {
  if (!(seconds_ > 0 && pages_ > 0)) return parent;
  if (!IsKnown(parent)) return GammaOfMeans(mean_, mean_of_logarithm_);
  const double own = pages_ / (pages_ + kParentPages);
  const double logarithm = LogarithmOf(parent);
  return GammaOfMeans(parent.mean() + own * (mean_ - parent.mean()),
                      logarithm + own * (mean_of_logarithm_ - logarithm));
}

void RateGroup::Encode(std::string& out) const {
  for (const double value : {pages_, seconds_, mean_, mean_of_logarithm_}) {
    base::AppendFixed64(out, std::bit_cast<uint64_t>(value));
  }
}

std::optional<RateGroup> RateGroup::Decode(std::string_view& bytes) {
  base::Decoder in(bytes);
  RateGroup group;
  for (double* value : {&group.pages_, &group.seconds_, &group.mean_, &group.mean_of_logarithm_}) {
    *value = std::bit_cast<double>(in.Fixed64());
  }
  if (!in.ok() || !group.IsPossible()) return std::nullopt;
  bytes = in.rest();
  return group;
}

}  // namespace opic::refresh
