#include "refresh/change_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "tests/refresh/hostile_history.h"

namespace opic::refresh {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);
constexpr double kDay = 86'400;

void See(ChangeHistory& history, double interval, bool changed, double age = -1) {
  ChangeObservation seen{.previous = kStart, .fetched = kStart + absl::Seconds(interval)};
  seen.changed = changed;
  if (age >= 0) seen.last_change = seen.fetched - absl::Seconds(age);
  history.Observe(seen, ChangeMemory::Unlimited());
}

// The thesis's function (4.1) and Cho and Garcia-Molina's estimator agree for regular visits.
TEST(EstimatedRate, IsChoAndGarciaMolinasForRegularVisits) {
  for (const int n : {1, 2, 10, 50}) {
    for (int x = 0; x <= n; ++x) {
      ChangeHistory history;
      for (int i = 0; i < n; ++i) See(history, kDay, i < x);
      const double expected = -std::log((n - x + 0.5) / (n + 0.5)) / kDay;
      EXPECT_NEAR(EstimatedRate(history).mean, expected, 1e-8 * expected + 1e-30) << x << "/" << n;
    }
  }
}

TEST(EstimatedRate, HasChoAndGarciaMolinasCorrectionForDates) {
  ChangeHistory history;
  for (int i = 0; i < 6; ++i) See(history, kDay, false);
  for (int i = 1; i <= 4; ++i) See(history, kDay, true, 10'000.0 * i);
  const double corrected = 3 - 4 / (10 * std::log(1 - 0.4));
  EXPECT_NEAR(EstimatedRate(history).mean, corrected / (6 * kDay + 100'000), 1e-15);
  ChangeHistory all;
  for (int i = 1; i <= 4; ++i) See(all, kDay, true, 10'000.0 * i);
  EXPECT_NEAR(EstimatedRate(all).mean, 3 / 100'000.0, 1e-15);
}

// The mean of the estimates of 20,000 pages with a true date of each change, over the rate, less 1.
double Bias(double rate, int visits, bool first_date) {
  base::Rng rng(9);
  constexpr int kPages = 20'000;
  double sum = 0;
  for (int page = 0; page < kPages; ++page) {
    ChangeHistory history;
    const auto age = [&] { return -std::log(1 - rng.Uniform()) / rate; };
    if (first_date) {
      history.Observe({.fetched = kStart, .last_change = kStart - absl::Seconds(age())},
                      ChangeMemory::Unlimited());
    }
    for (int i = 0; i < visits; ++i) {
      const double back = age();
      See(history, kDay, back < kDay, back < kDay ? back : -1);
    }
    sum += EstimatedRate(history).mean;
  }
  return sum / kPages / rate - 1;
}

TEST(EstimatedRate, HasNoBiasByDatesButOfTheFirstFetch) {
  EXPECT_NEAR(Bias(0.05 / kDay, 10, false), 0, 0.03);
  EXPECT_NEAR(Bias(1 / kDay, 10, false), 0, 0.02);
  EXPECT_NEAR(Bias(0.05 / kDay, 10, true), 0.35, 0.03);
  EXPECT_NEAR(Bias(0.2 / kDay, 10, true), 0.074, 0.02);
  EXPECT_NEAR(Bias(1 / kDay, 10, true), 0.01, 0.01);
}

// The mean and deviation of the posterior by integration over ln(rate), prior and likelihood
// written out.
std::pair<double, double> Integrated(const std::vector<double>& undated, int dated, double seconds,
                                     const RateDistribution& prior) {
  double mass = 0, first = 0, second = 0;
  for (double octave = 0; octave < 32; octave += 1e-3) {
    const double x = std::exp2(octave - 32);
    const auto corner = static_cast<size_t>(octave);
    const double beyond = octave - static_cast<double>(corner);
    double density = prior.weights[corner] * (1 - beyond) + prior.weights[corner + 1] * beyond;
    for (int i = 0; i < dated; ++i) density *= x * kDay;
    for (const double c : undated) density *= -std::expm1(-c * x);
    density *= std::exp(-seconds * x);
    mass += density, first += density * x, second += density * x * x;
  }
  const double mean = first / mass;
  return {mean, std::sqrt(second / mass - mean * mean)};
}

TEST(PosteriorRate, IsThePriorWithoutObservations) {
  const RateDistribution prior = RateDistribution::About(1 / (3 * kDay));
  const RatePosterior posterior = PosteriorRate(ChangeHistory(), prior);
  EXPECT_NEAR(posterior.rate.mean, 1 / (3 * kDay), 0.06 / (3 * kDay));
  EXPECT_NEAR(posterior.rate.relative_deviation, std::sqrt(std::expm1(4)), 0.5);
  for (size_t i = 0; i < RateDistribution::kCorners; ++i) {
    EXPECT_NEAR(posterior.distribution.weights[i], prior.weights[i], 0.003) << i;
  }
}

TEST(PosteriorRate, IsTheIntegratedOne) {
  RateDistribution two_kinds = RateDistribution::About(1 / kDay);
  for (float& weight : two_kinds.weights) weight *= 0.02F;
  two_kinds.weights[3] += 0.49F;   // once in 17 years
  two_kinds.weights[22] += 0.49F;  // every quarter of an hour
  for (const RateDistribution& prior : {RateDistribution::About(1 / kDay), two_kinds}) {
    for (const int changed : {0, 1, 3, 8, 10}) {
      for (const bool dated : {false, true}) {
        ChangeHistory history;
        std::vector<double> undated;
        double seconds = 0;
        for (int i = 0; i < 10; ++i) {
          const double interval = kDay * (1 + i % 3), age = interval / 4;
          See(history, interval, i < changed, dated ? age : -1);
          if (i >= changed || dated) seconds += i < changed ? age : interval;
          if (i < changed && !dated) undated.push_back(interval);
        }
        const RateEstimate rate = PosteriorRate(history, prior).rate;
        const auto [mean, deviation] = Integrated(undated, dated ? changed : 0, seconds, prior);
        EXPECT_NEAR(rate.mean, mean, 0.02 * mean) << changed << " " << dated;
        EXPECT_NEAR(rate.relative_deviation, deviation / mean, 0.05 * (1 + deviation / mean))
            << changed << " " << dated;
      }
    }
  }
}

// As many observations as no prior outweighs, more than the grid of any fixed steps tells apart.
TEST(PosteriorRate, OfManyObservationsIsTheirRate) {
  ChangeHistory history;
  for (int i = 0; i < 100'000; ++i) See(history, kDay, true, kDay / 3);
  const RateEstimate rate = PosteriorRate(history, UnknownRate()).rate;
  EXPECT_NEAR(rate.mean, 3 / kDay, 1e-3 * rate.mean);
  EXPECT_NEAR(rate.relative_deviation, 1 / std::sqrt(100'000.0), 1e-4);
}

// Maximum likelihood from all intervals, by halving.
double Unbounded(const std::vector<double>& undated, double quiet) {
  double low = 1e-12, high = 1;
  for (int i = 0; i < 200; ++i) {
    const double x = std::sqrt(low * high);
    double slope = -quiet * x;
    for (const double c : undated) slope += c * x / std::expm1(c * x);
    (slope > 0 ? low : high) = x;
  }
  return low;
}

// Three clusters are as good as all intervals: 1,000 visits at intervals from one to 64 hours.
TEST(EstimatedRate, LosesNextToNothingByBoundedStatistics) {
  base::Rng rng(5);
  for (const double rate : {0.1 / kDay, 0.5 / kDay, 2 / kDay, 8 / kDay}) {
    ChangeHistory history;
    std::vector<double> undated;
    double quiet = 0, all = 0;
    for (int i = 0; i < 1000; ++i) {
      const double interval = 3600 * std::exp2(6 * rng.Uniform());
      const bool changed = rng.Uniform() < -std::expm1(-rate * interval);
      See(history, interval, changed);
      all += interval;
      changed ? undated.push_back(interval) : void(quiet += interval);
    }
    const double expected = Unbounded(undated, quiet + all / 2000);
    EXPECT_NEAR(EstimatedRate(history).mean, expected, 0.01 * expected) << rate * kDay;
  }
}

TEST(Rates, FallAsMoreQuietTimeIsSeenAndRiseAsMoreChangesAre) {
  base::Rng rng(6);
  for (int round = 0; round < 300; ++round) {
    ChangeHistory history;
    for (uint64_t i = rng.Below(12); i > 0; --i) {
      const double interval = std::exp2(5 + 20 * rng.Uniform());
      See(history, interval, rng.Below(2), rng.Below(2) ? interval * rng.Uniform() : -1);
    }
    const RateDistribution prior = RateDistribution::About(rng.Uniform() / kDay);
    const double before = PosteriorRate(history, prior).rate.mean;
    ChangeHistory quiet = history, changed = history;
    See(quiet, kDay, false);
    See(changed, 60, true);
    EXPECT_LT(PosteriorRate(quiet, prior).rate.mean, before);
    EXPECT_GT(PosteriorRate(changed, prior).rate.mean, before);
  }
}

// A rate is a number from 0 to kChangeRateMax, whatever was seen and assumed.
TEST(Rates, AreNumbersOfHostileHistoriesAndPriors) {
  const double odd[] = {
      0, -1, 1e-300, 1, 1e300, std::numeric_limits<double>::infinity(), -1e300, std::nan("")};
  base::Rng rng(7);
  int accepted = 0;
  for (int round = 0; round < 100'000; ++round) {
    const std::string bytes = HostileHistory(rng);
    std::string_view view = bytes;
    const ChangeHistory history = ChangeHistory::Decode(view).value_or(ChangeHistory());
    if (!history.empty()) ++accepted;
    const RatePosterior posterior =
        PosteriorRate(history, RateDistribution::About(odd[rng.Below(8)]));
    for (const RateEstimate rate : {posterior.rate, EstimatedRate(history)}) {
      ASSERT_GE(rate.mean, 0);  // fails for what is no number, too
      ASSERT_LE(rate.mean, kChangeRateMax);
      ASSERT_GE(rate.relative_deviation, 0);
    }
    float sum = 0;
    for (const float weight : posterior.distribution.weights) {
      ASSERT_GE(weight, 0);
      sum += weight;
    }
    ASSERT_NEAR(sum, 1, 1e-3);
  }
  EXPECT_GT(accepted, 50'000);
}

// It is a distribution: with an interval's end the page has changed or not, and the last change
// lies somewhere in it.
TEST(LogPrediction, SumsToOne) {
  base::Rng rng(3);
  for (int round = 0; round < 200; ++round) {
    ChangeHistory history, quiet, changed;
    for (uint64_t visits = rng.Below(20); visits > 0; --visits) {
      const double interval = std::exp2(12 + 8 * rng.Uniform());
      See(history, interval, rng.Below(2), rng.Below(2) ? interval * rng.Uniform() : -1);
    }
    const RateDistribution prior = RateDistribution::About(rng.Uniform() / kDay);
    const double interval = std::exp2(12 + 8 * rng.Uniform());
    See(quiet, interval, false);
    See(changed, interval, true);
    const double change = std::exp(LogPrediction(history, prior, changed));
    EXPECT_NEAR(change + std::exp(LogPrediction(history, prior, quiet)), 1, 1e-9);
    constexpr int kParts = 200;
    double dated = 0;
    for (int part = 0; part < kParts; ++part) {
      ChangeHistory seen;
      See(seen, interval, true, (part + 0.5) / kParts * interval);
      dated += std::exp(LogPrediction(history, prior, seen)) * interval / kParts;
    }
    EXPECT_NEAR(dated, change, 0.005);
    EXPECT_EQ(LogPrediction(history, prior, {}), 0);
  }
}

TEST(LogPrediction, IsANumberForHostileHistories) {
  base::Rng rng(8);
  for (int round = 0; round < 20'000; ++round) {
    const std::string first = HostileHistory(rng), second = HostileHistory(rng);
    std::string_view a = first, b = second;
    const double prediction =
        LogPrediction(ChangeHistory::Decode(a).value_or(ChangeHistory()), UnknownRate(),
                      ChangeHistory::Decode(b).value_or(ChangeHistory()));
    ASSERT_GE(prediction, -700);
    ASSERT_LE(prediction, 1e-6);
  }
}

TEST(Rates, OfTwoMillionVisitsAreTheirRate) {
  ChangeHistory history;
  for (int i = 0; i < 2'000'000; ++i) See(history, 60, i % 4 == 0);
  EXPECT_NEAR(EstimatedRate(history).mean, -std::log(0.75) / 60, 1e-6);
  EXPECT_NEAR(EstimatedRate(history).relative_deviation, 1 / std::sqrt(500'000.0), 1e-3);
}

}  // namespace
}  // namespace opic::refresh
