// What is known of a page by others like it.
#include "refresh/rate_tree.h"

#include <gtest/gtest.h>

#include "refresh/change_rate.h"

namespace opic::refresh {
namespace {

constexpr ShardId kHere{1}, kElsewhere{2};

// Pages of this group that are seen to change once in so many seconds.
void Learn(RateTree& tree, ShardId shard, Category category, double seconds) {
  for (int page = 0; page < 200; ++page) {
    ChangeHistory changes;
    absl::Time at = absl::FromUnixSeconds(1'700'000'000);
    for (int visit = 0; visit < 5; ++visit) {
      const absl::Time next = at + absl::Seconds(seconds);
      changes.Observe({.previous = at, .fetched = next, .changed = visit % 2 == 0});
      at = next;
      tree.Observe(shard, category,
                   PosteriorRate(changes, tree.Prior(shard, category)).distribution, seconds,
                   visit == 0);
    }
  }
}

// What is thought of a page of which nothing is known.
double MeanIn(const RateTree& tree, ShardId shard, Category category) {
  return PosteriorRate({}, tree.Prior(shard, category)).rate.mean;
}

TEST(RateTreeTest, APageTakesTheRateOfItsLike) {
  RateTree tree;
  Learn(tree, kHere, Category::kHtml, 1e6);
  Learn(tree, kHere, Category::kFeed, 1e3);
  EXPECT_GT(MeanIn(tree, kHere, Category::kFeed), 10 * MeanIn(tree, kHere, Category::kHtml));
  EXPECT_NEAR(MeanIn(tree, kElsewhere, Category::kFeed), MeanIn(tree, kHere, Category::kFeed),
              0.2 * MeanIn(tree, kHere, Category::kFeed))
      << "of a shard that has shown nothing yet: that of its category";
  const double other = MeanIn(tree, kElsewhere, Category::kPdf);
  EXPECT_GT(other, MeanIn(tree, kHere, Category::kHtml));
  EXPECT_LT(other, MeanIn(tree, kHere, Category::kFeed));
}

// At a start rows are read host by host: those of the last one are not all that is known.
TEST(RateTreeTest, WhatRowsTellIsOfAllOfThemAlike) {
  constexpr int kPages = 20'000;
  RateTree tree;
  const RateDistribution slow = RateDistribution::About(1e-6), fast = RateDistribution::About(1e-3);
  for (int page = 0; page < kPages; ++page) tree.Count(kHere, Category::kHtml, slow, 1e6);
  for (int page = 0; page < kPages; ++page) tree.Count(kElsewhere, Category::kHtml, fast, 1e6);
  const RateDistribution of_all = tree.Prior(ShardId{3}, Category::kHtml);
  for (size_t i = 0; i < RateDistribution::kCorners; ++i)
    EXPECT_NEAR(of_all.weights[i], (slow.weights[i] + fast.weights[i]) / 2, 2e-3) << i;
}

TEST(RateTreeTest, RatesAreForgottenAndDatesAreNot) {
  RateTree tree;
  const double unknown = MeanIn(tree, kHere, Category::kHtml);
  Learn(tree, kHere, Category::kHtml, 10);
  for (int i = 0; i < 5; ++i) tree.dates(kHere).Count(DateUse::kUsed);
  ASSERT_TRUE(tree.dates(kHere).proved());
  tree.ForgetRates();
  EXPECT_EQ(MeanIn(tree, kHere, Category::kHtml), unknown);
  EXPECT_TRUE(tree.dates(kHere).proved());
}

}  // namespace
}  // namespace opic::refresh
