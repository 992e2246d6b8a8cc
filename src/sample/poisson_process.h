// Events at an even mean rate, each whenever it likes: a Poisson process that is a pure function of
// its seed. Anybody who knows the seed knows when each event is, without having seen those before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opic::sample {

// Thread safety: immutable.
class PoissonProcess {
 public:
  // `rate`: mean events a day; 0: none ever. REQUIRES: rate >= 0 and finite.
  PoissonProcess(uint64_t seed, double rate) : seed_(seed), rate_(rate) {}
  double rate() const { return rate_; }
  // The instants in (0, day], ascending, in days. One exponential draw an event; those of an
  // earlier day are the beginning of those of a later one.
  std::vector<double> EventsUntil(double day) const;
  // The first instant, infinite where there is none.
  double First() const;
  // The first `count` instants. REQUIRES: rate() > 0.
  std::vector<double> FirstEvents(size_t count) const;

 private:
  const uint64_t seed_;
  const double rate_;
};

// A rate drawn log-normally with mean `mean`; `spread` is the standard deviation of its logarithm,
// 0: `mean` itself. The same for the same seed.
double DrawRate(uint64_t seed, double mean, double spread);

}  // namespace opic::sample
