#include "schedule/rate_budget.h"

#include <gtest/gtest.h>

namespace opic::schedule {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);

// Takes whatever is allowed, looking every `step`.
int TakeFor(RateBudget& budget, absl::Time from, absl::Duration span, absl::Duration step) {
  int taken = 0;
  for (absl::Time now = from; now < from + span; now += step) {
    for (; budget.Allows(now); ++taken) budget.Take(now);
  }
  return taken;
}

TEST(RateBudgetTest, IsExactOverTimeHoweverOftenOneLooks) {
  for (int step_ms : {1, 7, 50, 99}) {
    RateBudget budget(50);
    TakeFor(budget, kStart, absl::Seconds(1), absl::Milliseconds(step_ms));
    const int taken =
        TakeFor(budget, kStart + absl::Seconds(1), absl::Seconds(100), absl::Milliseconds(step_ms));
    EXPECT_NEAR(taken, 5000, 6) << step_ms;
  }
}

TEST(RateBudgetTest, IdleTimeIsNotSavedUp) {
  RateBudget budget(50);
  TakeFor(budget, kStart, absl::Seconds(1), absl::Milliseconds(1));
  const absl::Time later = kStart + absl::Hours(1);
  EXPECT_LE(TakeFor(budget, later, absl::Milliseconds(1), absl::Milliseconds(1)), 6);
}

TEST(RateBudgetTest, WithoutALimitEverythingIsAllowed) {
  RateBudget budget(0);
  for (int i = 0; i < 1000; ++i) budget.Take(kStart);
  EXPECT_TRUE(budget.Allows(kStart));
}

TEST(RateBudgetTest, TheNextTimeIsWhenItAllows) {
  RateBudget budget(2);
  while (budget.Allows(kStart)) budget.Take(kStart);
  EXPECT_GT(budget.next(), kStart);
  EXPECT_FALSE(budget.Allows(budget.next() - absl::Nanoseconds(1)));
  EXPECT_TRUE(budget.Allows(budget.next()));
}

TEST(RateBudgetTest, WhatIsGivenBackCanBeTakenAgain) {
  RateBudget budget(1);
  budget.Take(kStart);
  EXPECT_FALSE(budget.Allows(kStart));
  budget.GiveBack();
  EXPECT_TRUE(budget.Allows(kStart));
}

// A rate of one an hour must not hold up the rate that follows it.
TEST(RateBudgetTest, ANewRateCountsFromTheLastTake) {
  RateBudget budget(1.0 / 3600);
  budget.Take(kStart);
  budget.SetRate(1);
  EXPECT_TRUE(budget.Allows(kStart + absl::Seconds(1)));
}

}  // namespace
}  // namespace opic::schedule
