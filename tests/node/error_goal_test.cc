#include "node/error_goal.h"

#include <gtest/gtest.h>

namespace opic::node {
namespace {

TEST(ErrorGoalTest, ACrawlThatEndsIsMoreExactThanItMustBe) {
  CrawlOptions options;
  options.error_max = 0.02;
  EXPECT_DOUBLE_EQ(ErrorGoal(options, /*fetching_over=*/false), 0.02);
  EXPECT_DOUBLE_EQ(ErrorGoal(options, /*fetching_over=*/true), 0.005);
}

TEST(ErrorGoalTest, ACrawlThatGoesOnForEverHasNoEnd) {
  CrawlOptions options;
  options.refresh.pages_per_s = 1;
  ASSERT_TRUE(options.refresh.on());
  EXPECT_DOUBLE_EQ(ErrorGoal(options, /*fetching_over=*/true), kErrorMax);
}

}  // namespace
}  // namespace opic::node
