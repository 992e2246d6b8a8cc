#include "refresh/rate_distribution.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opic::refresh {
namespace {

constexpr double kShapeMin = 0.05, kShapeMax = 100;
constexpr double kSmallest = 0x1p-200;

double Trigamma(double x) {
  double sum = 0;
  for (; x < 8; x += 1) sum += 1 / (x * x);
  const double y = 1 / (x * x);
  return sum + (1 + (0.5 + (1.0 / 6 - y * (1.0 / 30 - y / 42)) / x) / x) / x;
}

// The shape a with ln(a) - digamma(a) = s: Minka's first guess ("Estimating a Gamma distribution",
// 2002), then Newton.
double ShapeOf(double s) {
  if (!(s > 0.5 / kShapeMax)) return kShapeMax;
  if (s > 100) return kShapeMin;  // which has s = 18; above some 10^150 the guess is no number
  double a = (3 - s + std::sqrt((s - 3) * (s - 3) + 24 * s)) / (12 * s);
  for (int i = 0; i < 4; ++i) {
    a = std::clamp(a - (std::log(a) - Digamma(a) - s) / (1 / a - Trigamma(a)), a / 4, a * 4);
  }
  return std::clamp(a, kShapeMin, kShapeMax);
}

}  // namespace

double Digamma(double x) {
  double sum = 0;
  for (; x < 8; x += 1) sum -= 1 / x;
  const double y = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y / 252));
}

double RateDistribution::mean() const {
  if (!(changes > 0)) return 0;
  return seconds > changes / kRateMax ? changes / seconds : kRateMax;
}

double RateDistribution::mean_of_logarithm() const { return Digamma(changes) - std::log(seconds); }

double RateDistribution::relative_deviation() const {
  return changes > 0 ? 1 / std::sqrt(changes) : std::numeric_limits<double>::infinity();
}

RateDistribution GammaOfMeans(double mean, double mean_of_logarithm) {
  if (!(mean > kSmallest)) mean = kSmallest;
  mean = std::min(mean, kRateMax);
  const double shape = ShapeOf(std::log(mean) - mean_of_logarithm);
  return {shape, shape / mean};
}

}  // namespace opic::refresh
