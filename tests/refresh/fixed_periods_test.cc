#include "refresh/fixed_periods.h"

#include <gtest/gtest.h>

namespace opic::refresh {
namespace {

TEST(FixedPeriodsTest, PagesTakeTheirRatesTogether) {
  FixedPeriods periods;
  EXPECT_EQ(periods.rate(), 0);
  periods.Add(10);
  periods.Add(10);
  periods.Add(4);
  EXPECT_EQ(periods.pages(), 3u);
  EXPECT_DOUBLE_EQ(periods.rate(), 0.45);
  periods.Remove(10);
  EXPECT_EQ(periods.pages(), 2u);
  EXPECT_DOUBLE_EQ(periods.rate(), 0.35);
}

TEST(FixedPeriodsTest, NothingIsLeftOfPagesThatHaveGone) {
  FixedPeriods periods;
  for (int64_t period = 1; period <= 1000; ++period) periods.Add(period);
  EXPECT_GT(periods.rate(), 7);
  for (int64_t period = 1; period <= 1000; ++period) periods.Remove(period);
  EXPECT_EQ(periods.pages(), 0u);
  EXPECT_EQ(periods.rate(), 0) << "not what rounding has left";
}

TEST(FixedPeriodsDeathTest, APageThatWasNotThereCannotLeave) {
  FixedPeriods periods;
  periods.Add(10);
  EXPECT_DEATH(periods.Remove(11), "a period that it did not have");
}

}  // namespace
}  // namespace opic::refresh
