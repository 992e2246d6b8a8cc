#include "refresh/refresh_weight.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace opic::refresh {
namespace {

constexpr int kSteps = RefreshWeight::kStepsPerOctave;
constexpr int kFirstOctave = -RefreshWeight::kCodes / kSteps / 2;

std::array<double, RefreshWeight::kCodes + 1> MakeValues() {
  std::array<double, RefreshWeight::kCodes + 1> values = {};
  for (int code = 1; code <= RefreshWeight::kCodes; ++code) {
    values[static_cast<size_t>(code)] =
        std::exp2(kFirstOctave + static_cast<double>(code - 1) / kSteps);
  }
  return values;
}

}  // namespace

RefreshWeight RefreshWeight::Of(double importance, double rate) {
  RefreshWeight weight;
  if (!(importance > 0 && rate > 0)) return weight;
  const double octaves = (std::log2(importance) + kObsolescenceExponent * std::log2(rate)) /
                         (kObsolescenceExponent + 1);
  const double code = std::round((octaves - kFirstOctave) * kSteps) + 1;
  weight.code_ = static_cast<uint16_t>(std::clamp(code, 1.0, static_cast<double>(kCodes)));
  return weight;
}

RefreshWeight RefreshWeight::Times(double factor) const {
  RefreshWeight weight = *this;
  if (code_ == 0 || !(factor > 0)) return weight;
  const double code = code_ + std::round(std::log2(factor) * kSteps);
  weight.code_ = static_cast<uint16_t>(std::clamp(code, 1.0, static_cast<double>(kCodes)));
  return weight;
}

RefreshWeight RefreshWeight::FromCode(uint16_t code) {
  RefreshWeight weight;
  weight.code_ = std::min(code, static_cast<uint16_t>(kCodes));
  return weight;
}

const double* RefreshWeight::Values() {
  static const std::array<double, kCodes + 1> values = MakeValues();
  return values.data();
}

}  // namespace opic::refresh
