#include "sim/existence_posterior.h"

#include <algorithm>
#include <cmath>

#include "refresh/refresh_weight.h"

namespace opic::sim {

ExistencePosterior::ExistencePosterior(uint32_t pages, double deviation, double seconds) {
  constexpr double kWidth = 4;  // deviations on either side
  std::array<float, kPoints> prior;
  for (size_t i = 0; i < kPoints; ++i) {
    const double z = kWidth * (2 * static_cast<double>(i) / (kPoints - 1) - 1);
    rates_[i] = std::exp(deviation * z) / seconds;
    costs_[i] = std::pow(rates_[i], refresh::kObsolescenceExponent);
    prior[i] = static_cast<float>(-z * z / 2);
  }
  logs_.assign(pages, prior);
}

void ExistencePosterior::Observe(uint32_t page, double seconds, bool changed) {
  for (size_t i = 0; i < kPoints; ++i) {
    const double changes = rates_[i] * seconds;
    logs_[page][i] += static_cast<float>(changed ? std::log(-std::expm1(-changes)) : -changes);
  }
}

double ExistencePosterior::RateOf(uint32_t page) const {
  const std::array<float, kPoints>& logs = logs_[page];
  const float most = *std::max_element(logs.begin(), logs.end());
  double sum = 0, cost = 0;
  for (size_t i = 0; i < kPoints; ++i) {
    const double weight = std::exp(static_cast<double>(logs[i] - most));
    sum += weight, cost += weight * costs_[i];
  }
  return std::pow(cost / sum, 1 / refresh::kObsolescenceExponent);
}

}  // namespace opic::sim
