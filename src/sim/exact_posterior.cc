#include "sim/exact_posterior.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "refresh/refresh_weight.h"

namespace opic::sim {
namespace {

constexpr double kWidth = 4;  // deviations on either side

// Of the grid's point, from the mean of ln(rate).
double DeviationAt(size_t i) {
  return kWidth * (2 * static_cast<double>(i) / (ExactPosterior::kPoints - 1) - 1);
}

size_t FirstWithin(size_t i, size_t reach) { return i - std::min(i, reach); }
size_t LastWithin(size_t i, size_t reach) {
  return std::min(i + reach, ExactPosterior::kPoints - 1);
}

template <typename Range>
void DivideBySum(Range& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
}

}  // namespace

ExactPosterior::ExactPosterior(uint32_t pages, double deviation, double seconds,
                               const RateDrift& drift)
    : drift_(drift) {
  Weights prior;
  for (size_t i = 0; i < kPoints; ++i) {
    const double z = DeviationAt(i);
    rates_[i] = std::exp(deviation * z) / seconds;
    costs_[i] = std::pow(rates_[i], refresh::kObsolescenceExponent);
    prior[i] = std::exp(-z * z / 2);
  }
  DivideBySum(prior);
  pages_.assign(pages, prior);
  if (drift.kept < 1) SetMoves();
}

// By the density of the normal number. Where that falls between the points of the grid, by the step
// to the next ones that has its mean and variance.
void ExactPosterior::SetMoves() {
  const double spacing = DeviationAt(1) - DeviationAt(0);
  const double variance = (1 - drift_.kept * drift_.kept) / (spacing * spacing);
  const bool narrow = variance < 0.5;
  const double reach =
      narrow ? 1 : std::ceil(8 * std::sqrt(variance) + kPoints * (1 - drift_.kept));
  reach_ = static_cast<size_t>(std::min<double>(reach, kPoints - 1));
  for (size_t from = 0; from < kPoints; ++from) {
    const double shift = (drift_.kept - 1) * DeviationAt(from) / spacing;
    for (size_t to = FirstWithin(from, reach_); to <= LastWithin(from, reach_); ++to) {
      const double places = static_cast<double>(to) - static_cast<double>(from);
      const double off = places - shift, square = variance + shift * shift;
      if (!narrow) {
        moves_[from][to] = std::exp(-off * off / (2 * variance));
      } else {
        moves_[from][to] = places == 0 ? 1 - square : (square + places * shift) / 2;
      }
    }
    DivideBySum(moves_[from]);
  }
}

void ExactPosterior::ObserveQuiet(uint32_t page, double previous, double now) {
  Set(page, After(pages_[page], previous, now, Seen::kNoChange));
}

void ExactPosterior::ObserveChange(uint32_t page, double previous, double now) {
  const Weights quiet = After(pages_[page], previous, now, Seen::kNoChange);
  Weights weights = After(pages_[page], previous, now, Seen::kNothing);
  for (size_t i = 0; i < kPoints; ++i) weights[i] = std::max(0.0, weights[i] - quiet[i]);
  Set(page, weights);
}

void ExactPosterior::ObserveDate(uint32_t page, double previous, double change, double now) {
  Weights weights = After(pages_[page], previous, change, Seen::kNothing);
  for (size_t i = 0; i < kPoints; ++i) weights[i] *= rates_[i];
  Set(page, After(weights, change, now, Seen::kNoChange));
}

double ExactPosterior::RateOf(uint32_t page) const {
  const Weights& weights = pages_[page];
  const double cost = std::inner_product(weights.begin(), weights.end(), costs_.begin(), 0.0);
  return std::pow(cost, 1 / refresh::kObsolescenceExponent);
}

ExactPosterior::Weights ExactPosterior::After(Weights weights, double from, double to,
                                              Seen seen) const {
  // A step at `from` was before the fetch there, one at `to` is before the fetch here.
  double step = std::max(0.0, (std::floor(from / drift_.step) + 1) * drift_.step);
  for (; step <= to; from = step, step += drift_.step) {
    if (seen == Seen::kNoChange) Decay(weights, step - from);
    weights = Moved(weights);
  }
  if (seen == Seen::kNoChange) Decay(weights, to - from);
  return weights;
}

void ExactPosterior::Decay(Weights& weights, double seconds) const {
  for (size_t i = 0; i < kPoints; ++i) weights[i] *= std::exp(-rates_[i] * seconds);
}

ExactPosterior::Weights ExactPosterior::Moved(const Weights& weights) const {
  Weights moved = {};
  for (size_t from = 0; from < kPoints; ++from) {
    for (size_t to = FirstWithin(from, reach_); to <= LastWithin(from, reach_); ++to) {
      moved[to] += weights[from] * moves_[from][to];
    }
  }
  return moved;
}

void ExactPosterior::Set(uint32_t page, const Weights& weights) {
  pages_[page] = weights;
  DivideBySum(pages_[page]);
}

}  // namespace opic::sim
