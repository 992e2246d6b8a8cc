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
      tree.Observe(shard, category, PosteriorRate(changes, tree.Prior(shard, category)), seconds,
                   visit == 0);
    }
  }
}

TEST(RateTreeTest, APageTakesTheRateOfItsLike) {
  RateTree tree;
  Learn(tree, kHere, Category::kHtml, 1e6);
  Learn(tree, kHere, Category::kFeed, 1e3);
  EXPECT_GT(tree.Prior(kHere, Category::kFeed).mean(),
            10 * tree.Prior(kHere, Category::kHtml).mean());
  EXPECT_NEAR(tree.Prior(kElsewhere, Category::kFeed).mean(),
              tree.Prior(kHere, Category::kFeed).mean(),
              0.2 * tree.Prior(kHere, Category::kFeed).mean())
      << "of a shard that has shown nothing yet: that of its category";
  const double other = tree.Prior(kElsewhere, Category::kPdf).mean();
  EXPECT_GT(other, tree.Prior(kHere, Category::kHtml).mean());
  EXPECT_LT(other, tree.Prior(kHere, Category::kFeed).mean());
}

TEST(RateTreeTest, RatesAreForgottenAndDatesAreNot) {
  RateTree tree;
  const RateDistribution unknown = tree.Prior(kHere, Category::kHtml);
  Learn(tree, kHere, Category::kHtml, 10);
  for (int i = 0; i < 5; ++i) tree.dates(kHere).Count(DateUse::kUsed);
  ASSERT_TRUE(tree.dates(kHere).proved());
  tree.ForgetRates();
  EXPECT_EQ(tree.Prior(kHere, Category::kHtml).mean(), unknown.mean());
  EXPECT_TRUE(tree.dates(kHere).proved());
}

}  // namespace
}  // namespace opic::refresh
