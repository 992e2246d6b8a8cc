#include "refresh/frequencies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace opic::refresh {
namespace {

constexpr double kFloor = 1e-6, kCap = 1e-2;

struct Page {
  double importance, rate;
  size_t category = 0;
  RefreshWeight weight() const { return RefreshWeight::Of(importance, rate); }
};

double Normal(base::Rng& rng) {
  return std::sqrt(-2 * std::log(1 - rng.Uniform())) * std::cos(2 * M_PI * rng.Uniform());
}

std::vector<Page> LogNormalPages(base::Rng& rng, size_t count) {
  std::vector<Page> pages(count);
  for (Page& page : pages) {
    page = {std::exp(1.5 * Normal(rng)), 1e-5 * std::exp(1.5 * Normal(rng))};
  }
  return pages;
}

// (3.7) between the bounds, from the exact weights, with the multiplier by bisection.
std::vector<double> ExactOptimum(const std::vector<Page>& pages, double floor, double cap,
                                 double bandwidth) {
  const auto at = [&](double m, const Page& page) {
    const double weight = std::pow(page.importance * std::pow(page.rate, kObsolescenceExponent),
                                   1 / (kObsolescenceExponent + 1));
    return std::clamp(m * weight, floor, cap);
  };
  double low = 1e-30, high = 1e30;
  for (int i = 0; i < 120; ++i) {
    const double m = std::sqrt(low * high);
    double sum = 0;
    for (const Page& page : pages) sum += at(m, page);
    (sum < bandwidth ? low : high) = m;
  }
  std::vector<double> frequencies;
  for (const Page& page : pages) frequencies.push_back(at(low, page));
  return frequencies;
}

// (3.5), without pages that cost nothing.
double Cost(const std::vector<Page>& pages, const std::vector<double>& frequencies) {
  double cost = 0;
  for (size_t i = 0; i < pages.size(); ++i) {
    if (pages[i].importance * pages[i].rate == 0) continue;
    cost += pages[i].importance * std::pow(pages[i].rate / frequencies[i], kObsolescenceExponent);
  }
  return cost / (kObsolescenceExponent + 1);
}

double PlannedOf(const Frequencies& frequencies, const std::vector<Page>& pages) {
  double sum = 0;
  for (const Page& page : pages) sum += frequencies.Of(page.weight(), page.category);
  return sum;
}

TEST(RefreshWeight, IsTheTermOfThePageWithinHalfAStep) {
  base::Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const double w = std::exp2(-30 * rng.Uniform()), rate = std::exp2(-30 * rng.Uniform());
    const double exact = std::pow(w * std::pow(rate, 0.95), 1 / 1.95);
    const RefreshWeight weight = RefreshWeight::Of(w, rate);
    EXPECT_NEAR(weight.value(), exact, 0.0055 * exact);
    EXPECT_EQ(RefreshWeight::FromCode(weight.code()), weight);
  }
}

TEST(RefreshWeight, IsNoneOfNothingAndBoundedOfEverything) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  for (const double odd : {0.0, -1.0, -infinity, nan}) {
    EXPECT_EQ(RefreshWeight::Of(odd, 1).code(), 0);
    EXPECT_EQ(RefreshWeight::Of(1, odd).code(), 0);
  }
  EXPECT_EQ(RefreshWeight::Of(infinity, infinity).code(), RefreshWeight::kCodes);
  EXPECT_EQ(RefreshWeight::Of(1e-300, 1e-300).code(), 1);
  EXPECT_EQ(RefreshWeight::FromCode(0xffff).code(), RefreshWeight::kCodes);
  EXPECT_EQ(RefreshWeight::Of(1, 1).value(), 1);
}

// Weights 1, 2 and 4 (importance is the weight to the power of 1.95 at rate 1).
TEST(Frequencies, AreTheKnownOnesOfThreePages) {
  const RefreshWeight one = RefreshWeight::Of(1, 1), two = RefreshWeight::Of(std::exp2(1.95), 1),
                      four = RefreshWeight::Of(std::exp2(3.9), 1);
  Frequencies frequencies({.floor = 0, .cap = 100, .bandwidth = 14});
  for (const RefreshWeight weight : {one, two, four}) frequencies.Add(weight);
  EXPECT_NEAR(frequencies.Of(one), 2, 1e-9);
  EXPECT_NEAR(frequencies.Of(two), 4, 1e-9);
  EXPECT_NEAR(frequencies.Of(four), 8, 1e-9);
}

// A cap of 5 frees 3 of the page of weight 4: the others share 9 as 1 to 2. A floor of 4 then takes
// 1 from the second.
TEST(Frequencies, FillTheOthersWithWhatCapsFreeAndFloorsTake) {
  const RefreshWeight one = RefreshWeight::Of(1, 1), two = RefreshWeight::Of(std::exp2(1.95), 1),
                      four = RefreshWeight::Of(std::exp2(3.9), 1);
  Frequencies capped({.floor = 0, .cap = 5, .bandwidth = 12.5});
  Frequencies both({.floor = 4, .cap = 5, .bandwidth = 13.5});
  for (const RefreshWeight weight : {one, two, four}) capped.Add(weight), both.Add(weight);
  EXPECT_NEAR(capped.Of(one), 2.5, 1e-9);
  EXPECT_NEAR(capped.Of(two), 5, 1e-9);
  EXPECT_NEAR(capped.Of(four), 5, 1e-9);
  EXPECT_NEAR(both.Of(one), 4, 1e-9);
  EXPECT_NEAR(both.Of(two), 4.5, 1e-9);
  EXPECT_NEAR(both.Of(four), 5, 1e-9);
}

TEST(Frequencies, CostNextToNothingMoreThanTheNumericalOptimum) {
  base::Rng rng(2);
  const std::vector<Page> pages = LogNormalPages(rng, 20'000);
  for (const double bandwidth : {0.05, 0.3, 3.0, 60.0}) {
    Frequencies frequencies({.floor = kFloor, .cap = kCap, .bandwidth = bandwidth});
    for (const Page& page : pages) frequencies.Add(page.weight());
    std::vector<double> ours;
    for (const Page& page : pages) ours.push_back(frequencies.Of(page.weight()));
    const std::vector<double> exact = ExactOptimum(pages, kFloor, kCap, bandwidth);
    EXPECT_NEAR(frequencies.planned(), bandwidth, bandwidth / 4096);
    EXPECT_NEAR(PlannedOf(frequencies, pages), bandwidth, bandwidth / 4096);
    EXPECT_NEAR(Cost(pages, ours) / Cost(pages, exact), 1, 5e-4) << bandwidth;
    for (size_t i = 0; i < pages.size(); ++i) EXPECT_NEAR(ours[i], exact[i], 0.01 * exact[i]);
  }
}

TEST(Frequencies, GiveAllThePagesTheirShareWhenFloorsAskForMore) {
  Frequencies frequencies({.floor = 1, .cap = 2, .bandwidth = 10});
  for (int i = 0; i < 40; ++i) frequencies.Add(RefreshWeight::Of(i, 1));
  for (int i = 0; i < 40; ++i) {
    EXPECT_NEAR(frequencies.Of(RefreshWeight::Of(i, 1)), 0.25, 0.25 / 4096);
  }
  EXPECT_NEAR(frequencies.planned(), 10, 10.0 / 4096);
}

TEST(Frequencies, HaveTheirFloorAgainWhenPagesAreGone) {
  Frequencies frequencies({.floor = 1, .cap = 2, .bandwidth = 10});
  for (int i = 0; i < 40; ++i) frequencies.Add(RefreshWeight());
  EXPECT_NEAR(frequencies.Of(RefreshWeight()), 0.25, 0.25 / 4096);
  for (int pages = 40; pages > 1; --pages) {
    frequencies.Remove(RefreshWeight());
    const double right = std::min(1.0, 10.0 / (pages - 1));
    EXPECT_NEAR(frequencies.Of(RefreshWeight()), right, right / 4096) << pages;
    EXPECT_NEAR(frequencies.planned(), right * (pages - 1), 10.0 / 4096) << pages;
  }
}

TEST(Frequencies, LeaveIdleWhatCapsDoNotTake) {
  Frequencies frequencies({.floor = 0.5, .cap = 2, .bandwidth = 100});
  EXPECT_EQ(frequencies.idle(), 100);
  for (int i = 0; i < 10; ++i) frequencies.Add(RefreshWeight::Of(i, 1));
  EXPECT_EQ(frequencies.Of(RefreshWeight()), 0.5);
  EXPECT_EQ(frequencies.Of(RefreshWeight::Of(1e-9, 1)), 2);
  EXPECT_NEAR(frequencies.idle(), 100 - 9 * 2 - 0.5, 1e-9);
}

TEST(Frequencies, FollowBandwidthAndFactors) {
  base::Rng rng(3);
  std::vector<Page> pages = LogNormalPages(rng, 2000);
  Frequencies frequencies({.floor = 0, .cap = 1, .bandwidth = 1, .categories = 2});
  for (Page& page : pages) {
    page.category = rng.Below(2);
    frequencies.Add(page.weight(), page.category);
  }
  const double before = frequencies.planned(0) / frequencies.planned(1);
  frequencies.SetFactor(4, 1);
  EXPECT_NEAR(before / (frequencies.planned(0) / frequencies.planned(1)), std::pow(4, 1 / 1.95),
              1e-6);
  frequencies.SetBandwidth(3);
  EXPECT_NEAR(PlannedOf(frequencies, pages), 3, 1e-6);
  frequencies.SetFactor(0, 0);
  EXPECT_EQ(frequencies.planned(0), 0);
  EXPECT_NEAR(frequencies.planned(1), 3, 1e-6);
  for (const double odd : {std::nan(""), -1.0}) {
    frequencies.SetFactor(odd, 1);
    EXPECT_EQ(frequencies.planned(), 0);
    EXPECT_EQ(frequencies.idle(), 3);
    frequencies.SetFactor(1, 1);
    EXPECT_NEAR(frequencies.planned(), 3, 1e-6);
    frequencies.SetBandwidth(odd);
    EXPECT_NEAR(PlannedOf(frequencies, pages), 0, 1e-12);
    frequencies.SetBandwidth(3);
    EXPECT_NEAR(frequencies.planned(), 3, 1e-6);
  }
}

// A million changes of importance, rate and membership later they are what a fresh count gives.
TEST(Frequencies, DoNotDriftInAMillionChanges) {
  base::Rng rng(4);
  std::vector<Page> pages = LogNormalPages(rng, 5000);
  const FrequencyOptions options{.floor = kFloor, .cap = kCap, .bandwidth = 0.3};
  Frequencies frequencies(options);
  for (const Page& page : pages) frequencies.Add(page.weight());
  for (int i = 0; i < 1'000'000; ++i) {
    Page& page = pages[rng.Below(pages.size())];
    const RefreshWeight before = page.weight();
    switch (rng.Below(3)) {
      case 0:
        page.importance *= std::exp(0.1 * Normal(rng));
        frequencies.Change(before, page.weight());
        break;
      case 1:
        page.rate = rng.Below(20) == 0 ? 0 : 1e-5 * std::exp(1.5 * Normal(rng));
        frequencies.Change(before, page.weight());
        break;
      default:
        frequencies.Remove(before);
        page = LogNormalPages(rng, 1)[0];
        frequencies.Add(page.weight());
    }
    if (i % 1000 == 0) {
      ASSERT_NEAR(frequencies.planned(), 0.3, 0.3 / 4095) << i;
    }
  }
  Frequencies fresh(options);
  for (const Page& page : pages) fresh.Add(page.weight());
  for (const Page& page : pages) {
    const double expected = fresh.Of(page.weight());
    ASSERT_NEAR(frequencies.Of(page.weight()), expected, 2e-3 * expected);
  }
  EXPECT_NEAR(PlannedOf(frequencies, pages), 0.3, 0.3 / 4095);
  EXPECT_EQ(frequencies.pages(), pages.size());
}

TEST(Frequencies, OfManyPagesEndWithTheLastOne) {
  Frequencies frequencies({.floor = 0, .cap = 1, .bandwidth = 1});
  base::Rng rng(5);
  std::vector<Page> pages = LogNormalPages(rng, 3000);
  for (const Page& page : pages) frequencies.Add(page.weight());
  for (const Page& page : pages) frequencies.Remove(page.weight());
  EXPECT_EQ(frequencies.pages(), 0);
  EXPECT_EQ(frequencies.planned(), 0);
  EXPECT_NEAR(frequencies.idle(), 1, 1e-9);
}

TEST(FrequenciesDeathTest, EndTheProcessForACategoryThatIsNotThere) {
  EXPECT_DEATH(Frequencies({}).planned(1), "category < categories_.size\\(\\)");
}

TEST(FrequenciesDeathTest, EndTheProcessForAPageThatWasNeverThere) {
  Frequencies frequencies({});
  frequencies.Add(RefreshWeight::Of(1, 1));
  EXPECT_DEATH(frequencies.Remove(RefreshWeight::Of(9, 1)), "weight that it did not have");
}

// Whatever the bandwidth is.
TEST(FrequenciesTest, TellWhatAnotherMultiplierWouldAskFor) {
  base::Rng rng(8);
  Frequencies frequencies({.floor = kFloor, .cap = kCap, .bandwidth = 0.5});
  for (const Page& page : LogNormalPages(rng, 1000)) frequencies.Add(page.weight());
  EXPECT_NEAR(frequencies.PlannedWith(frequencies.multiplier()), 0.5, 1e-9);
  const double m = frequencies.multiplier();
  frequencies.SetBandwidth(1e-9);  // less than the floors
  EXPECT_NEAR(frequencies.PlannedWith(m), 0.5, 1e-9);
  EXPECT_NEAR(frequencies.PlannedWith(0), 1000 * kFloor, 1e-9);
  EXPECT_NEAR(frequencies.PlannedWith(std::numeric_limits<double>::infinity()), 1000 * kCap, 1e-9);
}

}  // namespace
}  // namespace opic::refresh
