#include "sample/poisson_process.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "base/rng.h"

namespace opic::sample {
namespace {

// Exponential with mean 1; finite, for 1 - Uniform() is above 0.
double DrawPause(base::Rng& rng) { return -std::log(1 - rng.Uniform()); }

}  // namespace

std::vector<double> PoissonProcess::EventsUntil(double day) const {
  std::vector<double> events;
  if (rate_ == 0) return events;
  base::Rng rng(seed_);
  for (double at = DrawPause(rng) / rate_; at <= day; at += DrawPause(rng) / rate_) {
    events.push_back(at);
  }
  return events;
}

double PoissonProcess::First() const {
  if (rate_ == 0) return std::numeric_limits<double>::infinity();
  base::Rng rng(seed_);
  return DrawPause(rng) / rate_;
}

std::vector<double> PoissonProcess::FirstEvents(size_t count) const {
  std::vector<double> events(count);
  base::Rng rng(seed_);
  double at = 0;
  for (double& event : events) event = at += DrawPause(rng) / rate_;
  return events;
}

double DrawRate(uint64_t seed, double mean, double spread) {
  base::Rng rng(seed);
  // Box and Muller: a normal draw of two uniform ones.
  const double radius = std::sqrt(2 * DrawPause(rng));
  const double normal = radius * std::cos(2 * std::numbers::pi * rng.Uniform());
  return mean * std::exp(spread * normal - spread * spread / 2);
}

}  // namespace opic::sample
