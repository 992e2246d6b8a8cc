#include "refresh/rate_group.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/rng.h"
#include "refresh/change_rate.h"

namespace opic::refresh {
namespace {

constexpr double kDay = 86'400;
const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);

RateEstimate Of(const RateDistribution& prior) { return PosteriorRate({}, prior).rate; }

// The share of rates that are below this one.
double Below(const RateDistribution& distribution, double rate) {
  double share = 0;
  for (size_t i = 0; i < RateDistribution::kCorners; ++i) {
    const double from_corner = std::log2(rate / kChangeRateMin) - static_cast<double>(i);
    share += distribution.weights[i] * std::clamp(from_corner + 0.5, 0.0, 1.0);
  }
  return share;
}

TEST(RateDistribution, IsAboutItsMean) {
  for (const double seconds : {1e3, kDay, 30 * kDay}) {
    const RateDistribution about = RateDistribution::About(1 / seconds);
    EXPECT_NEAR(Of(about).mean, 1 / seconds, 0.06 / seconds);
    EXPECT_NEAR(Below(about, std::exp(-2) / seconds), 0.5, 0.01) << "its median";
    EXPECT_NEAR(Below(about, 1 / seconds), 0.84, 0.01) << "a deviation further";
  }
}

TEST(RateDistribution, IsOneForAnyMean) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double mean : {0.0, -1.0, 1e-300, 1.0, 1e300, infinity, -infinity, std::nan("")}) {
    const RateDistribution about = RateDistribution::About(mean);
    EXPECT_NEAR(std::accumulate(about.weights.begin(), about.weights.end(), 0.0), 1, 1e-5);
    for (const float weight : about.weights) EXPECT_GE(weight, 0);
  }
}

TEST(RateDistribution, PlacesRatesBetweenCorners) {
  const RateDistribution::Place place = RateDistribution::PlaceOf(std::exp2(-29.5));
  EXPECT_EQ(place.corner, 2);
  EXPECT_NEAR(place.beyond, 0.5, 1e-9);
  for (const double low : {0.0, -1.0, kChangeRateMin / 2, std::nan("")}) {
    EXPECT_EQ(RateDistribution::PlaceOf(low).corner, 0);
    EXPECT_EQ(RateDistribution::PlaceOf(low).beyond, 0);
  }
  EXPECT_EQ(RateDistribution::PlaceOf(1e300).corner, RateDistribution::kCorners - 2);
  EXPECT_EQ(RateDistribution::PlaceOf(kChangeRateMax).beyond, 1);
}

TEST(RateGroup, IsItsParentWhileItIsEmpty) {
  const RateDistribution parent = RateDistribution::About(1 / (5 * kDay));
  EXPECT_EQ(RateGroup().Prior(parent).weights, parent.weights);
}

double NormalNumber(base::Rng& rng) {
  return std::sqrt(-2 * std::log(1 - rng.Uniform())) * std::cos(2 * std::acos(-1) * rng.Uniform());
}

// A group of pages of these rates, of which every other one has dates. Those that change
// often are visited ten times as often.
RateDistribution Learnt(const std::vector<double>& rates, base::Rng& rng) {
  RateGroup group;
  std::vector<ChangeHistory> histories(rates.size());
  for (int round = 0; round < 40; ++round) {
    for (size_t page = 0; page < rates.size(); ++page) {
      const int visits = rates[page] > 0.1 / kDay ? 10 : 1;
      for (int i = 0; i < visits; ++i) {
        const double interval = 5 * kDay / visits;
        ChangeObservation seen{.previous = kStart, .fetched = kStart + absl::Seconds(interval)};
        const double age = -std::log(1 - rng.Uniform()) / rates[page];
        seen.changed = age < interval;
        if (seen.changed && page % 2) seen.last_change = seen.fetched - absl::Seconds(age);
        const bool is_new = histories[page].empty();
        histories[page].Observe(seen, ChangeMemory::Unlimited());
        const RateDistribution prior = group.Prior(UnknownRate());
        group.Observe(PosteriorRate(histories[page], prior).distribution, interval, is_new);
      }
    }
  }
  EXPECT_EQ(group.pages(), rates.size());
  return group.Prior(UnknownRate());
}

// The group learns the distribution from what visits show, whatever its shape is.
TEST(RateGroup, LearnsHowRatesLie) {
  base::Rng rng(1);
  std::vector<double> alike(1000), two_kinds(1000);
  for (double& rate : alike) rate = std::exp(NormalNumber(rng)) / (10 * kDay);
  for (size_t i = 0; i < 1000; ++i) two_kinds[i] = i % 4 ? 1 / (400 * kDay) : 1 / kDay;

  const RateDistribution of_alike = Learnt(alike, rng);
  const double mean = std::exp(0.5) / (10 * kDay);
  EXPECT_NEAR(Of(of_alike).mean, mean, 0.1 * mean);
  EXPECT_NEAR(Below(of_alike, 1 / (10 * kDay)), 0.5, 0.05);
  EXPECT_NEAR(Below(of_alike, std::exp(1) / (10 * kDay)), 0.84, 0.05);

  const RateDistribution of_two_kinds = Learnt(two_kinds, rng);
  EXPECT_NEAR(std::log2(Of(of_two_kinds).mean), std::log2(0.25 / kDay), 0.5)
      << "rates are told apart to half an octave";
  EXPECT_NEAR(Below(of_two_kinds, 1 / (50 * kDay)), 0.75, 0.03);
  EXPECT_NEAR(Below(of_two_kinds, 1 / (5 * kDay)), 0.75, 0.03) << "and nothing between the two";
  EXPECT_GT(Below(of_two_kinds, 4 / kDay), 0.98);
}

// What a page showed that changes this often.
RateDistribution Shown(double seconds) {
  ChangeHistory history;
  for (int i = 0; i < 1000; ++i) {
    const absl::Time fetched = kStart + absl::Seconds(2 * seconds);
    history.Observe({.previous = kStart,
                     .fetched = fetched,
                     .changed = true,
                     .last_change = fetched - absl::Seconds(seconds)},
                    ChangeMemory::Unlimited());
  }
  return PosteriorRate(history, UnknownRate()).distribution;
}

// A single page, seen a hundred times, does not make the next one of its host certain.
TEST(RateGroup, DoesNotTakeOnePageForAll) {
  RateGroup group;
  for (int i = 0; i < 100; ++i) group.Observe(Shown(60), 60, i == 0);
  const RateDistribution prior = group.Prior(UnknownRate());
  EXPECT_GT(Of(prior).mean, Of(UnknownRate()).mean);
  EXPECT_GT(Below(prior, 1 / kDay), 0.7);
}

// Nor does it speak for a host of which all else was read once.
TEST(RateGroup, CountsNoPageThatHasToldNothing) {
  RateGroup group;
  for (int i = 0; i < 999; ++i) group.Observe(UnknownRate(), 0, true);
  EXPECT_EQ(group.pages(), 0);
  for (int i = 0; i < 100; ++i) group.Observe(Shown(3600), 3600, i == 0);
  EXPECT_EQ(group.pages(), 1);
  const RateDistribution prior = group.Prior(UnknownRate());
  EXPECT_NEAR(Below(prior, 0.1 / 3600), 0.8 * Below(UnknownRate(), 0.1 / 3600), 1e-3);
}

TEST(RateGroup, LeavesOutWhatIsNoTime) {
  RateGroup group;
  for (const double seconds : {0.0, -1.0, std::nan("")}) group.Observe(Shown(60), seconds, true);
  EXPECT_EQ(group.pages(), 0);
  for (const double seconds : {1e-300, 1e300, std::numeric_limits<double>::infinity()}) {
    group.Observe(Shown(60), seconds, true);
  }
  EXPECT_EQ(group.pages(), 3);
  EXPECT_TRUE(std::isfinite(Of(group.Prior(UnknownRate())).mean));
}

}  // namespace
}  // namespace opic::refresh
