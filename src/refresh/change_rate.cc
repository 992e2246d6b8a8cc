#include "refresh/change_rate.h"

#include <algorithm>
#include <cmath>

namespace opic::refresh {
namespace {

double Usable(double value) { return value > 0 ? std::min(value, 0x1p100) : 0; }

// h(u) = u / (e^u - 1): of an undated change in an interval c, the expected share of the score that
// the changes before the last one leave; u = c * rate.
double Share(double u) { return u < 1e-8 ? 1 - u / 2 : u / std::expm1(u); }

// u^2 e^u / (e^u - 1)^2 = h(u) h(-u): how much of a dated change an undated one is worth.
double Worth(double u) {
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
      AddNode(cluster.count / 2, cluster.mean * (1 - cluster.spread));
      AddNode(cluster.count / 2, cluster.mean * (1 + cluster.spread));
    }
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
      curvature += counts_[i] * (Worth(u) - Share(u));
    }
    return curvature;
  }

  // Where it is greatest. Bounds are from 1 - u/2 <= h(u) <= 1.
  RateDistribution Maximum() const {
    double all = changes_, half_time = 0;
    for (size_t i = 0; i < nodes_; ++i) {
      all += counts_[i], half_time += counts_[i] * intervals_[i] / 2;
    }
    if (!(all > 0)) return {0, seconds_};
    double low = std::min(all / (seconds_ + half_time), kRateMax);
    double high = seconds_ > 0 ? std::min(all / seconds_, kRateMax) : kRateMax;
    const double rate = Root(low, high);
    const double worth = std::max(Curvature(rate) + Slope(rate), 0x1p-40);
    return {worth, worth / rate};
  }

 private:
  void AddNode(double count, double interval) {
    counts_[nodes_] = count, intervals_[nodes_++] = interval;
  }

  // Newton in ln(rate), by bisection where it leaves what is known to hold the root.
  double Root(double low, double high) const {
    double rate = low;
    for (int i = 0; i < 60 && high > low; ++i) {
      const double slope = Slope(rate);
      (slope > 0 ? low : high) = rate;
      double next = rate * std::exp(slope / Curvature(rate));
      if (!(next >= low && next <= high)) next = std::sqrt(low * high);
      const bool done = std::abs(next - rate) <= 1e-10 * rate;
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

}  // namespace

RateDistribution PosteriorRate(const ChangeHistory& history, const RateDistribution& prior) {
  const double changes = Usable(prior.changes), seconds = Usable(prior.seconds);
  if (history.empty()) return {changes, seconds};
  return Likelihood(history, changes, seconds).Maximum();
}

RateDistribution EstimatedRate(const ChangeHistory& history) {
  const double dated = history.dated_changes(), undated = history.undated_changes();
  const double intervals = history.quiet_intervals() + undated;
  double half_interval = 0;
  if (undated > 0) {
    half_interval = (history.quiet_seconds() + history.undated_seconds()) / intervals / 2;
  }
  const double correction = DateCorrection(dated, dated + history.quiet_intervals());
  return Likelihood(history, correction, half_interval).Maximum();
}

}  // namespace opic::refresh
