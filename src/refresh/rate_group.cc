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
constexpr double kPagesMax = 0x1p50, kSecondsMax = 0x1p62;
// Rates count as no smaller than once in 10^16 years, so that nothing odd outweighs all else.
constexpr double kLogarithmMin = -54;

bool IsKnown(const RateDistribution& rate) {
  return rate.changes > 0 && rate.seconds > 0 && std::isfinite(rate.changes + rate.seconds);
}

double LogarithmOf(const RateDistribution& rate) {
  return std::clamp(rate.mean_of_logarithm(), kLogarithmMin, 0.0);
}

}  // namespace

void RateGroup::Observe(const RateDistribution& rate, double seconds, bool new_page) {
  if (!(seconds > 0) || !IsKnown(rate)) return;
  if (new_page) pages_ = std::min(pages_ + 1, kPagesMax);
  seconds = std::min(seconds, 0x1p31);
  const double mean = rate.mean(), logarithm = LogarithmOf(rate);
  seconds_ = seconds_ * (1 - 1 / kRemembered) + seconds;
  mean_ += (mean - mean_) * (seconds / seconds_);
  mean_of_logarithm_ += (logarithm - mean_of_logarithm_) * (seconds / seconds_);
}

void RateGroup::RemovePage() { pages_ = std::max(pages_ - 1, 0.0); }

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
  const bool whole = group.pages_ >= 0 && group.pages_ <= kPagesMax && group.seconds_ >= 0 &&
                     group.seconds_ <= kSecondsMax && group.mean_ >= 0 && group.mean_ <= kRateMax &&
                     group.mean_of_logarithm_ >= kLogarithmMin && group.mean_of_logarithm_ <= 0;
  if (!in.ok() || !whole) return std::nullopt;
  bytes = in.rest();
  return group;
}

}  // namespace opic::refresh
