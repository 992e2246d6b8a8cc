#include "sim/existence_posterior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "refresh/refresh_weight.h"

namespace opic::sim {
namespace {

constexpr double kDeviation = 1.5, kDay = 86'400;

// E[x^a] of a log-normal x is exp(a^2 d^2 / 2).
TEST(ExistencePosteriorTest, BeginsWithThePrior) {
  const ExistencePosterior posterior(1, kDeviation, kDay);
  const double expected = std::exp(refresh::kObsolescenceExponent * kDeviation * kDeviation / 2);
  EXPECT_NEAR(posterior.RateOf(0) * kDay, expected, 0.02 * expected);
}

TEST(ExistencePosteriorTest, FindsTheRateOfManyIntervals) {
  ExistencePosterior posterior(2, kDeviation, kDay);
  base::Rng rng(1);
  for (int i = 0; i < 4'000; ++i) {
    posterior.Observe(1, kDay, rng.Uniform() < 1 - std::exp(-0.7));
  }
  EXPECT_NEAR(posterior.RateOf(1) * kDay, 0.7, 0.08) << "further than the next point of the grid";
  EXPECT_GT(posterior.RateOf(0) * kDay, 2) << "another page was told";
}

}  // namespace
}  // namespace opic::sim
