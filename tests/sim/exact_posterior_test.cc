#include "sim/exact_posterior.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "refresh/refresh_weight.h"

namespace opic::sim {
namespace {

constexpr double kDeviation = 1.5, kDay = 86'400;
const double kPrior =  // E[x^a] of a log-normal x is exp(a^2 d^2 / 2)
    std::exp(refresh::kObsolescenceExponent * kDeviation * kDeviation / 2);

TEST(ExactPosteriorTest, BeginsWithThePrior) {
  const ExactPosterior posterior(1, kDeviation, kDay);
  EXPECT_NEAR(posterior.RateOf(0) * kDay, kPrior, 0.02 * kPrior);
}

TEST(ExactPosteriorTest, FindsTheRateOfManyIntervals) {
  ExactPosterior posterior(2, kDeviation, kDay);
  base::Rng rng(1);
  for (int i = 0; i < 4'000; ++i) {
    if (rng.Uniform() < std::exp(-0.7)) {
      posterior.ObserveQuiet(1, i * kDay, (i + 1) * kDay);
    } else {
      posterior.ObserveChange(1, i * kDay, (i + 1) * kDay);
    }
  }
  EXPECT_NEAR(posterior.RateOf(1) * kDay, 0.7, 0.08) << "further than the next point of the grid";
  EXPECT_GT(posterior.RateOf(0) * kDay, 2) << "another page was told";
}

TEST(ExactPosteriorTest, FindsTheRateOfManyDates) {
  ExactPosterior posterior(1, kDeviation, kDay);
  base::Rng rng(1);
  for (int i = 0; i < 4'000; ++i) {
    const double age = -std::log(1 - rng.Uniform()) / 0.7;
    if (age > 1) {
      posterior.ObserveQuiet(0, i * kDay, (i + 1) * kDay);
    } else {
      posterior.ObserveDate(0, i * kDay, (i + 1 - age) * kDay, (i + 1) * kDay);
    }
  }
  EXPECT_NEAR(posterior.RateOf(0) * kDay, 0.7, 0.08);
}

// A change without a date may have been at any time: what it tells is a mean of what these tell.
TEST(ExactPosteriorTest, AChangeTellsAMeanOfWhatItsDatesWould) {
  const RateDrift drift{.step = kDay / 2, .kept = 0.5};
  ExactPosterior change(1, kDeviation, kDay, drift), dates(1, kDeviation, kDay, drift);
  change.ObserveChange(0, 0, 3 * kDay);
  double least = 1e300, most = 0;
  for (double at = 0.05; at < 3; at += 0.1) {
    ExactPosterior date(1, kDeviation, kDay, drift);
    date.ObserveDate(0, 0, at * kDay, 3 * kDay);
    least = std::min(least, date.RateOf(0)), most = std::max(most, date.RateOf(0));
  }
  EXPECT_LT(least, change.RateOf(0));
  EXPECT_GT(most, change.RateOf(0));
}

// After many steps nothing is known any more, and the prior is what the drift keeps.
TEST(ExactPosteriorTest, ForgetsAsTheDriftDoes) {
  const RateDrift drift{.step = kDay, .kept = 0.9};
  ExactPosterior posterior(1, kDeviation, kDay, drift);
  posterior.ObserveQuiet(0, 0.1 * kDay, 0.9 * kDay);
  const double known = posterior.RateOf(0) * kDay;
  EXPECT_LT(known, 0.6 * kPrior);
  double last = known;
  for (const double days : {3, 10, 30, 300}) {
    ExactPosterior later = posterior;
    later.ObserveDate(0, 0.9 * kDay, days * kDay, days * kDay);  // of which the rate is a weight
    const double rate = later.RateOf(0) * kDay;
    EXPECT_GT(rate, last) << days;
    last = rate;
  }
  ExactPosterior fresh(1, kDeviation, kDay, drift);
  fresh.ObserveDate(0, 0, 0, 0);
  EXPECT_NEAR(last, fresh.RateOf(0) * kDay, 0.02 * last) << "the grid ends after 4 deviations";
}

TEST(ExactPosteriorTest, StepsAreTakenOnceEach) {
  const RateDrift drift{.step = kDay, .kept = 0.6};
  ExactPosterior whole(1, kDeviation, kDay, drift), parts(1, kDeviation, kDay, drift);
  whole.ObserveQuiet(0, 0.25 * kDay, 7 * kDay);
  for (double at = 0.25; at < 7; at += 0.25) parts.ObserveQuiet(0, at * kDay, (at + 0.25) * kDay);
  EXPECT_NEAR(parts.RateOf(0), whole.RateOf(0), 1e-9 * whole.RateOf(0));
}

}  // namespace
}  // namespace opic::sim
