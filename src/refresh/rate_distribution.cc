#include "refresh/rate_distribution.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace opic::refresh {
namespace {

constexpr double kDeviation = 2;  // of ln(rate), of About

}  // namespace

RateDistribution RateDistribution::About(double mean) {
  mean = mean > kChangeRateMin ? std::min(mean, kChangeRateMax) : kChangeRateMin;
  const double middle = std::log(mean / kChangeRateMin) - kDeviation * kDeviation / 2;
  RateDistribution about;
  for (size_t i = 0; i < kCorners; ++i) {
    const double off = (static_cast<double>(i) * std::numbers::ln2 - middle) / kDeviation;
    about.weights[i] = static_cast<float>(std::exp(-off * off / 2));
  }
  const float sum = std::accumulate(about.weights.begin(), about.weights.end(), 0.0F);
  for (float& weight : about.weights) weight /= sum;
  return about;
}

RateDistribution::Place RateDistribution::PlaceOf(double rate) {
  const double octaves =
      rate > kChangeRateMin ? std::log2(std::min(rate, kChangeRateMax) / kChangeRateMin) : 0;
  const size_t corner = std::min(static_cast<size_t>(octaves), kCorners - 2);
  return {corner, octaves - static_cast<double>(corner)};
}

RateDistribution UnknownRate() { return RateDistribution::About(1.0 / (30 * 86'400)); }

}  // namespace opic::refresh
