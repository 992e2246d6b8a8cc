// What is known of a change rate: a Gamma distribution, kept as if `changes` changes had been seen
// in `seconds` (shape and rate of the Gamma). Its mean is changes / seconds, its standard deviation
// relative to the mean 1 / sqrt(changes).
//
// Pure functions; total: arguments that are no numbers, negative or infinite count as the nearest
// value that makes sense.
#pragma once

namespace opic::refresh {

// Rates are at most this, in changes a second: a page that changed at every visit and of which
// nothing else is known would have an infinite one.
inline constexpr double kRateMax = 1;

struct RateDistribution {
  double changes = 0;
  double seconds = 0;

  double mean() const;                // changes a second, 0 to kRateMax; 0 if nothing is known
  double mean_of_logarithm() const;   // of ln(rate); REQUIRES: changes > 0 and seconds > 0
  double relative_deviation() const;  // infinite if changes is 0
};

// What is assumed of a page of which nothing at all is known: once a month, within a factor of ten
// or so.
inline constexpr RateDistribution kUnknownRate{0.5, 0.5 * 30 * 86'400};

// The Gamma distribution with this mean and this mean of the logarithm: the maximum likelihood
// estimate from rates with these means. Its shape is between 0.05 and 100: a few alike pages do
// not show that all are.
RateDistribution GammaOfMeans(double mean, double mean_of_logarithm);

// The digamma function, for x > 0.
double Digamma(double x);

}  // namespace opic::refresh
