#include "refresh/change_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace opic::refresh {
namespace {

// h(u) = u / (e^u - 1): of an undated change in an interval c, the expected share of the score that
// the changes before the last one leave; u = c * rate.
double Share(double u) { return u < 1e-8 ? 1 - u / 2 : u / std::expm1(u); }

// u^2 e^u / (e^u - 1)^2 = h(u) h(-u): how much of a dated change an undated one is worth.
double WorthOf(double u) {
  const double share = Share(u);
  return share * (share + u);  // h(-u) = h(u) + u
}

// The logarithmic likelihood, as a function of theta = ln(rate), with `changes` more dated changes
// and `seconds` more of quiet time.
class Likelihood {
 public:
  Likelihood(const ChangeHistory& history, double changes, double seconds)
      : changes_(history.dated_changes() + changes),
        seconds_(history.age_seconds() + history.quiet_seconds() + seconds) {
    for (const ChangeHistory::Cluster& cluster : history.clusters()) {
      if (cluster.spread == 0) {
        AddNode(cluster.count, cluster.mean);
        continue;
      }
      AddNode(cluster.count / 2, cluster.mean * (1 - cluster.spread));
      AddNode(cluster.count / 2, cluster.mean * (1 + cluster.spread));
    }
  }

  double Value(double rate) const {
    double value = changes_ * std::log(rate) - seconds_ * rate;
    for (size_t i = 0; i < nodes_; ++i) {
      value += counts_[i] * std::log(-std::expm1(-intervals_[i] * rate));
    }
    return value;
  }
  // Its derivative: changes + sum of h(c_j x) - seconds * x. It falls all along.
  double Slope(double rate) const {
    double slope = changes_ - seconds_ * rate;
    for (size_t i = 0; i < nodes_; ++i) slope += counts_[i] * Share(intervals_[i] * rate);
    return slope;
  }
  // Minus the second derivative; at the maximum: changes + sum of h(u_j) h(-u_j).
  double Curvature(double rate) const {
    double curvature = seconds_ * rate;
    for (size_t i = 0; i < nodes_; ++i) {
      const double u = intervals_[i] * rate;
      curvature += counts_[i] * (WorthOf(u) - Share(u));
    }
    return curvature;
  }

  // How much was seen, in dated changes. An undated one in an interval that is short beside
  // 1 / rate counts as one, in a long one as nothing.
  double Worth(double rate) const { return Curvature(rate) + Slope(rate); }

  // The rate at which it is greatest, at most kChangeRateMax, to within a part of the rate, or
  // where it rises by no more than that part. Bounds are from 1 - u/2 <= h(u) <= 1.
  double Maximum(double part) const {
    double all = changes_, half_time = 0;
    for (size_t i = 0; i < nodes_; ++i) {
      all += counts_[i], half_time += counts_[i] * intervals_[i] / 2;
    }
    if (!(all > 0)) return 0;
    const double low = std::min(all / (seconds_ + half_time), kChangeRateMax);
    const double high = seconds_ > 0 ? std::min(all / seconds_, kChangeRateMax) : kChangeRateMax;
    return Root(low, high, part);
  }

 private:
  void AddNode(double count, double interval) {
    counts_[nodes_] = count, intervals_[nodes_++] = interval;
  }

  // Newton in ln(rate), by bisection where it leaves what is known to hold the root.
  double Root(double low, double high, double part) const {
    double rate = low;
    for (int i = 0; i < 60 && high > low; ++i) {
      const double slope = Slope(rate);
      (slope > 0 ? low : high) = rate;
      double next = rate * std::exp(slope / Curvature(rate));
      if (!(next >= low && next <= high)) next = std::sqrt(low * high);
      const bool done = std::abs(next - rate) <= part * rate || std::abs(slope) <= part;
      rate = next;
      if (done) break;
    }
    return rate;
  }

  double changes_, seconds_;
  size_t nodes_ = 0;
  std::array<double, 2 * ChangeHistory::kClustersMax> counts_, intervals_;
};

// Cho and Garcia-Molina's X' - X, for X of n visits that dated a change: from 0 when few did to -1
// when all did.
double DateCorrection(double x, double n) {
  if (!(x > 0)) return 0;
  if (x >= n) return -1;
  return -1 - x / (n * std::log1p(-x / n));
}

// What no page of the group has shown yet is not impossible.
constexpr double kDensityMin = 1e-30;

// The posterior's moments: the likelihood times the prior, summed over rates in equal ratios.
class Integral {
 public:
  explicit Integral(const RateDistribution& prior) : prior_(prior) {}

  void Add(double rate, double likelihood) {
    const RateDistribution::Place place = RateDistribution::PlaceOf(rate);
    const double below = likelihood * (prior_.BelowAt(place) + kDensityMin);
    const double above = likelihood * (prior_.AboveAt(place) + kDensityMin);
    parts_[place.corner] += below, parts_[place.corner + 1] += above;
    mass_ += below + above;
    first_ += (below + above) * rate;
    second_ += (below + above) * rate * rate;
  }

  RatePosterior Posterior() const {
    const double mean = first_ / mass_;
    const double variance = std::max(second_ / mass_ - mean * mean, 0.0);
    RatePosterior posterior{{mean, std::sqrt(variance) / mean}, {}};
    for (size_t i = 0; i < RateDistribution::kCorners; ++i) {
      posterior.distribution.weights[i] = static_cast<float>(parts_[i] / mass_);
    }
    return posterior;
  }

 private:
  const RateDistribution& prior_;
  double mass_ = 0, first_ = 0, second_ = 0;
  std::array<double, RateDistribution::kCorners> parts_ = {};
};

// Calls `add` with rates in equal ratios, and the likelihood of each over that of the likeliest.
//
// The likelihood of ln(rate) has one maximum and falls ever faster on either side of it. A sum over
// steps as wide as its deviation is an integral to eight digits, as of a Gaussian; a step of a
// quarter of an octave sees the prior's corners.
template <typename Add>
void ForEachRate(const Likelihood& likelihood, const Add& add) {
  constexpr double kStepMax = std::numbers::ln2 / 2, kStepMin = kStepMax / 1024;
  constexpr double kNegligible = -20;  // of the logarithm
  const double middle = std::max(likelihood.Maximum(0.02), kChangeRateMin);
  const double step =
      std::clamp(1 / std::sqrt(std::max(likelihood.Worth(middle), 1.0)), kStepMin, kStepMax);
  const double most = likelihood.Value(middle), ratio = std::exp(step);
  const auto is_last = [&](double rate) {
    const double value = std::min(likelihood.Value(rate) - most, 1.0);
    add(rate, std::exp(value));
    return !(value > kNegligible);
  };
  for (double rate = middle; rate <= kChangeRateMax && !is_last(rate); rate *= ratio) {
  }
  for (double rate = middle / ratio; rate >= kChangeRateMin && !is_last(rate); rate /= ratio) {
  }
}

}  // namespace

RatePosterior PosteriorRate(const ChangeHistory& history, const RateDistribution& prior) {
  Integral integral(prior);
  ForEachRate(Likelihood(history, 0, 0),
              [&](double rate, double likelihood) { integral.Add(rate, likelihood); });
  return integral.Posterior();
}

double LogPrediction(const ChangeHistory& history, const RateDistribution& prior,
                     const ChangeHistory& seen) {
  if (seen.empty()) return 0;
  const Likelihood next(seen, 0, 0);
  double mass = 0, predicted = 0;
  ForEachRate(Likelihood(history, 0, 0), [&](double rate, double likelihood) {
    const RateDistribution::Place place = RateDistribution::PlaceOf(rate);
    const double part = likelihood * (prior.BelowAt(place) + prior.AboveAt(place) + kDensityMin);
    mass += part;
    predicted += part * std::exp(next.Value(rate));
  });
  constexpr double kLeast = -700;
  const double logarithm = std::log(predicted / mass);
  return logarithm > kLeast ? logarithm : kLeast;
}

RateEstimate EstimatedRate(const ChangeHistory& history) {
  const double dated = history.dated_changes(), undated = history.undated_changes();
  const double intervals = history.quiet_intervals() + undated;
  double half_interval = 0;
  if (undated > 0) {
    half_interval = (history.quiet_seconds() + history.undated_seconds()) / intervals / 2;
  }
  const double correction = DateCorrection(dated, dated + history.quiet_intervals());
  const Likelihood likelihood(history, correction, half_interval);
  const double rate = likelihood.Maximum(1e-10);
  if (rate == 0) return {};
  return {rate, 1 / std::sqrt(std::max(likelihood.Worth(rate), 0x1p-40))};
}

}  // namespace opic::refresh
