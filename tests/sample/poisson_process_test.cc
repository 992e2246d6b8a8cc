#include "sample/poisson_process.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace opic::sample {
namespace {

using ::testing::IsEmpty;

constexpr int kProcesses = 4000;

// Mean and variance of the number of events are both rate x time. Of 4,000 counts of mean 6 the
// mean's standard error is 0.039 and the variance's 0.14 (the fourth moment is m + 3 m^2).
TEST(PoissonProcess, HasCountsOfEqualMeanAndVariance) {
  double sum = 0, squares = 0;
  for (uint64_t seed = 0; seed < kProcesses; ++seed) {
    const double count = static_cast<double>(PoissonProcess(seed, 2).EventsUntil(3).size());
    sum += count;
    squares += count * count;
  }
  const double mean = sum / kProcesses, variance = squares / kProcesses - mean * mean;
  EXPECT_NEAR(mean, 6, 4 * 0.039);
  EXPECT_NEAR(variance, 6, 4 * 0.14);
}

TEST(PoissonProcess, HasNoMemory) {
  int first_half = 0, both = 0, second_half = 0;
  for (uint64_t seed = 0; seed < kProcesses; ++seed) {
    const PoissonProcess process(seed, std::log(2));  // an event in a day or none: one half each
    const size_t one = process.EventsUntil(1).size(), two = process.EventsUntil(2).size();
    first_half += one > 0;
    second_half += two > one;
    both += one > 0 && two > one;
  }
  EXPECT_NEAR(first_half, kProcesses / 2, 4 * 32);
  EXPECT_NEAR(second_half, kProcesses / 2, 4 * 32);
  EXPECT_NEAR(both, kProcesses / 4, 4 * 27);
}

TEST(PoissonProcess, OfAnEarlierDayIsTheBeginningOfALaterOne) {
  const PoissonProcess process(17, 0.7);
  const std::vector<double> all = process.EventsUntil(1000);
  ASSERT_GT(all.size(), 500u);
  EXPECT_EQ(process.First(), all[0]);
  EXPECT_EQ(process.FirstEvents(all.size()), all);
  for (const size_t count : {400u, 3u, 77u}) {
    const std::vector<double> earlier(all.begin(), all.begin() + static_cast<ptrdiff_t>(count));
    EXPECT_EQ(process.EventsUntil(all[count - 1]), earlier);
  }
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
}

TEST(PoissonProcess, WithoutARateHasNoEvents) {
  EXPECT_THAT(PoissonProcess(1, 0).EventsUntil(1e9), IsEmpty());
  EXPECT_EQ(PoissonProcess(1, 0).First(), std::numeric_limits<double>::infinity());
}

// Log-normal: the logarithm has the spread as its deviation and -spread^2/2 as its mean, so that
// the rates' own mean is the one asked for.
TEST(DrawRate, IsLogNormalAroundItsMean) {
  double logs = 0, squares = 0, rates = 0;
  for (uint64_t seed = 0; seed < kProcesses; ++seed) {
    const double rate = DrawRate(seed * 0x9e3779b97f4a7c15, 0.5, 1);
    const double log = std::log(rate / 0.5);
    logs += log;
    squares += log * log;
    rates += rate;
  }
  const double mean = logs / kProcesses;
  EXPECT_NEAR(mean, -0.5, 4 * 0.016);
  EXPECT_NEAR(squares / kProcesses - mean * mean, 1, 4 * 0.022);
  EXPECT_NEAR(rates / kProcesses, 0.5, 4 * 0.5 * 1.31 / std::sqrt(kProcesses));
}

TEST(DrawRate, WithoutSpreadIsTheMean) {
  EXPECT_DOUBLE_EQ(DrawRate(5, 0.25, 0), 0.25);
  EXPECT_EQ(DrawRate(5, 0, 1), 0);
}

}  // namespace
}  // namespace opic::sample
