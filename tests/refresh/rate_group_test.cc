#include "refresh/rate_group.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/encoding.h"
#include "base/rng.h"
#include "refresh/change_rate.h"

namespace opic::refresh {
namespace {

constexpr double kDay = 86'400;
const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);

TEST(RateDistribution, IsFittedByItsMeans) {
  for (const double shape : {0.06, 0.5, 1.0, 7.0, 90.0}) {
    const RateDistribution known{shape, 30 * kDay};
    const RateDistribution fitted = GammaOfMeans(known.mean(), known.mean_of_logarithm());
    EXPECT_NEAR(fitted.changes, shape, 1e-6 * shape);
    EXPECT_NEAR(fitted.seconds, known.seconds, 1e-6 * known.seconds);
  }
}

TEST(RateDistribution, IsFittedToAnyMeans) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double mean : {0.0, 1e-300, 0.5, infinity, std::nan("")}) {
    for (const double logarithm : {-infinity, -1e300, -1e3, 0.0, infinity, std::nan("")}) {
      const RateDistribution fitted = GammaOfMeans(mean, logarithm);
      EXPECT_GT(fitted.changes, 0.04) << mean << " " << logarithm;
      EXPECT_LT(fitted.changes, 101) << mean << " " << logarithm;
      EXPECT_TRUE(fitted.seconds > 0 && std::isfinite(fitted.seconds)) << mean << " " << logarithm;
    }
  }
  EXPECT_NEAR(GammaOfMeans(0.5, -infinity).changes, 0.05, 1e-12);
}

TEST(RateDistribution, HasKnownValuesOfDigamma) {
  EXPECT_NEAR(Digamma(1), -0.57721566490153286, 1e-9);
  EXPECT_NEAR(Digamma(0.5), -1.9635100260214235, 1e-9);
  EXPECT_NEAR(Digamma(10), 2.2517525890667211, 1e-9);
}

TEST(RateGroup, IsItsParentWhileItIsEmpty) {
  const RateDistribution parent{3, 5 * kDay};
  EXPECT_EQ(RateGroup().Prior(parent).changes, 3);
  EXPECT_EQ(RateGroup().Prior().seconds, kUnknownRate.seconds);
}

// Marsaglia and Tsang's method, for shape >= 1; below by a power of a uniform number.
double GammaNumber(base::Rng& rng, double shape) {
  if (shape < 1) return GammaNumber(rng, shape + 1) * std::pow(rng.Uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x =
        std::sqrt(-2 * std::log(1 - rng.Uniform())) * std::cos(2 * std::acos(-1) * rng.Uniform());
    const double v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(1 - rng.Uniform()) < x * x / 2 + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

// 2,000 pages with Gamma distributed rates, those that change often visited ten times as often: the
// group learns the two parameters from what visits show.
TEST(RateGroup, LearnsHowRatesLie) {
  for (const double shape : {0.5, 2.0}) {
    base::Rng rng(1);
    const RateDistribution truth{shape, shape * 10 * kDay};
    RateGroup group;
    struct Page {
      double rate;
      ChangeHistory history;
    };
    std::vector<Page> pages(2000);
    for (Page& page : pages) page.rate = GammaNumber(rng, shape) / truth.seconds;
    for (int round = 0; round < 60; ++round) {
      for (Page& page : pages) {
        const int visits = page.rate > truth.mean() ? 10 : 1;
        for (int i = 0; i < visits; ++i) {
          const double interval = 5 * kDay / visits;
          ChangeObservation seen{.previous = kStart, .fetched = kStart + absl::Seconds(interval)};
          const double age = -std::log(1 - rng.Uniform()) / page.rate;
          seen.changed = age < interval;
          if (seen.changed && (&page - pages.data()) % 2) {
            seen.last_change = seen.fetched - absl::Seconds(age);
          }
          const bool is_new = page.history.empty();
          page.history.Observe(seen, ChangeMemory::Unlimited());
          group.Observe(PosteriorRate(page.history, group.Prior()), interval, is_new);
        }
      }
    }
    EXPECT_EQ(group.pages(), 2000);
    EXPECT_NEAR(group.Prior().mean(), truth.mean(), 0.1 * truth.mean()) << shape;
    EXPECT_NEAR(group.Prior().changes, shape, 0.15 * shape) << shape;
  }
}

// A single page, seen a hundred times, does not make the next one of its host certain.
TEST(RateGroup, DoesNotTakeOnePageForAll) {
  RateGroup group;
  for (int i = 0; i < 100; ++i) group.Observe({1000, 1000 * 60}, 60, i == 0);
  const RateDistribution prior = group.Prior();
  EXPECT_GT(prior.mean(), kUnknownRate.mean());
  EXPECT_LT(prior.changes, 1);
}

// Nor does it speak for a host of which all else was read once.
TEST(RateGroup, CountsNoPageThatHasToldNothing) {
  RateGroup group;
  for (int i = 0; i < 999; ++i) group.Observe(kUnknownRate, 0, true);
  EXPECT_EQ(group.pages(), 0);
  for (int i = 0; i < 100; ++i) group.Observe({1000, 1000 * 3600}, 3600, i == 0);
  EXPECT_EQ(group.pages(), 1);
  const double far = 1.0 / 3600 - kUnknownRate.mean();
  EXPECT_NEAR(group.Prior().mean(), kUnknownRate.mean() + far / 5, 1e-9);
  EXPECT_LT(group.Prior().changes, 1);
}

TEST(RateGroup, LeavesOutWhatIsNoNumber) {
  const double odd[] = {0,     -1,           1e-300,
                        1e300, std::nan(""), std::numeric_limits<double>::infinity()};
  RateGroup group;
  for (const double changes : odd) {
    for (const double seconds : odd) {
      for (const double weight : odd) group.Observe({changes, seconds}, weight, true);
    }
  }
  group.Observe({1, kDay}, kDay, true);
  const RateDistribution prior = group.Prior({std::nan(""), -1});
  EXPECT_TRUE(std::isfinite(prior.changes) && std::isfinite(prior.seconds));
  EXPECT_GT(prior.mean(), 0);
}

std::string Stored(double pages, double seconds, double mean, double mean_of_logarithm) {
  std::string bytes;
  for (const double value : {pages, seconds, mean, mean_of_logarithm}) {
    base::AppendFixed64(bytes, std::bit_cast<uint64_t>(value));
  }
  return bytes;
}

bool IsAccepted(const std::string& bytes) {
  std::string_view view = bytes;
  return RateGroup::Decode(view).has_value();
}

TEST(RateGroup, RefusesWhatNoVisitsGive) {
  EXPECT_TRUE(IsAccepted(Stored(0, 0, 0, 0)));
  EXPECT_TRUE(IsAccepted(Stored(2, kDay, 0.01, -5)));
  EXPECT_TRUE(IsAccepted(Stored(2, 0x1p43, 1, 0)));
  EXPECT_FALSE(IsAccepted(Stored(2, 0x1.01p43, 0.01, -5)));
  EXPECT_FALSE(IsAccepted(Stored(2, 0.5, 0.01, -5)));     // visits count a second at least
  EXPECT_FALSE(IsAccepted(Stored(2, kDay, 0.01, -4.6)));  // ln(0.01) is -4.605
  EXPECT_FALSE(IsAccepted(Stored(2, kDay, 1e-30, -54)));  // below the smallest rate
  EXPECT_FALSE(IsAccepted(Stored(2, kDay, 0, -54)));
  EXPECT_FALSE(IsAccepted(Stored(2, 0, 0, 0)));  // pages that told nothing
  EXPECT_FALSE(IsAccepted(Stored(0, 0, 0.01, -5)));
}

TEST(RateGroup, IsReadBackWhateverItSaw) {
  const double odd[] = {1e-310, 1e-300, 1e-20, 1e-3, 1, 3, 1e6, 1e18, 1e300};
  base::Rng rng(2);
  for (int round = 0; round < 300; ++round) {
    RateGroup group;
    const double one = odd[rng.Below(9)];
    for (int visit = 0; visit < 300; ++visit) {
      const double changes = round % 2 ? one : odd[rng.Below(9)];
      group.Observe({changes, odd[rng.Below(9)]}, odd[rng.Below(9)], visit < 9);
      std::string bytes;
      group.Encode(bytes);
      std::string_view view = bytes;
      ASSERT_EQ(RateGroup::Decode(view), group) << round << " " << visit;
    }
  }
  RateGroup long_known;
  for (int visit = 0; visit < 300'000; ++visit) long_known.Observe({1, 1}, 1e300, visit == 0);
  std::string bytes;
  long_known.Encode(bytes);
  EXPECT_TRUE(IsAccepted(bytes));
}

TEST(RateGroup, IsReadBackAndRefusedWhenDamaged) {
  RateGroup group;
  group.Observe({3, kDay}, kDay, true);
  group.Observe({1, kDay}, 2 * kDay, true);
  std::string bytes;
  group.Encode(bytes);
  ASSERT_EQ(bytes.size(), RateGroup::kEncodedBytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string_view cut = std::string_view(bytes).substr(0, size);
    EXPECT_EQ(RateGroup::Decode(cut), std::nullopt);
  }
  std::string_view whole = bytes;
  EXPECT_EQ(RateGroup::Decode(whole), group);
  EXPECT_TRUE(whole.empty());
  for (size_t at = 0; at < 4; ++at) {
    std::string damaged = bytes;
    for (size_t i = 0; i < 8; ++i) damaged[8 * at + i] = '\xff';  // not a number
    std::string_view view = damaged;
    EXPECT_EQ(RateGroup::Decode(view), std::nullopt);
  }
}

}  // namespace
}  // namespace opic::refresh
