#include "importance/push.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace opic::importance {
namespace {

constexpr cash::SmallEdge kEdge{.parts = uint32_t{1} << 30};  // a quarter

TEST(PaidToEachTest, IsTheFloorOfThreeQuartersOverTheLinks) {
  EXPECT_EQ(PaidToEach(100, 3, kEdge), cash::Amount(25));
  EXPECT_EQ(PaidToEach(101, 3, kEdge), cash::Amount(25));
  EXPECT_EQ(PaidToEach(0, 3, kEdge), cash::Amount(0));
  EXPECT_EQ(PaidToEach(100, 0, kEdge), cash::Amount(0));
}

TEST(PaidToEachTest, GoesTowardsMinusInfinityBelowZero) {
  EXPECT_EQ(PaidToEach(-100, 3, kEdge), cash::Amount(-25));
  EXPECT_EQ(PaidToEach(-101, 3, kEdge), cash::Amount(-26));
}

TEST(PaidToEachTest, TakesTheLargestHistories) {
  const cash::Sum most = (cash::Sum{1} << 63) - 1;
  EXPECT_EQ(PaidToEach(most, 1, kEdge).units(), static_cast<int64_t>(most * 3 / 4));
  EXPECT_EQ(PaidToEach(-most, 1, kEdge).units(), static_cast<int64_t>(-most * 3 / 4 - 1));
}

// Shares of many visits would lose a part of a unit each; differences lose less than one in all.
TEST(PaidToEachTest, DifferencesAddUpToTheWhole) {
  base::Rng rng(5);
  cash::Sum history = 0;
  cash::Amount paid;
  for (int i = 0; i < 1000; ++i) {
    const cash::Sum before = history;
    history += static_cast<int64_t>(rng.Below(2000)) - 900;
    paid += PaidToEach(history, 7, kEdge) - PaidToEach(before, 7, kEdge);
    ASSERT_EQ(paid, PaidToEach(history, 7, kEdge));
  }
}

PushTotals TwoPages() {
  PushTotals totals;
  totals.pages = 2;
  totals.history = 700;
  totals.unread = 300;
  return totals;
}

TEST(PushEstimateTest, SumsToOneOverAllPages) {
  PushTotals totals = TwoPages();
  totals.read = -100;  // the read page is in debt
  EXPECT_DOUBLE_EQ(PushEstimate(700, cash::Amount(-100), totals, kEdge) +
                       PushEstimate(0, cash::Amount(300), totals, kEdge),
                   1.0);
}

TEST(PushEstimateTest, IsNeverBelowWhatEveryPageHas) {
  EXPECT_DOUBLE_EQ(PushEstimate(-500, cash::Amount(), TwoPages(), kEdge), 0.25 / 2);
}

TEST(PushEstimateTest, IsNothingBeforeAnythingIsKnown) {
  EXPECT_EQ(PushEstimate(0, cash::Amount(), PushTotals(), kEdge), 0);
}

TEST(PushErrorBoundTest, IsNothingAtRestAndTwoAtMost) {
  PushTotals totals = TwoPages();
  EXPECT_EQ(PushErrorBound(totals, kEdge), 0);
  totals.residual = totals.read = 10;
  totals.unread_pages = 1;
  EXPECT_DOUBLE_EQ(PushErrorBound(totals, kEdge), 3 * 15.0 / 1000);
  totals.residual = 100'000;
  EXPECT_EQ(PushErrorBound(totals, kEdge), 2);
}

TEST(PushErrorBoundTest, CountsPagesToBeFetchedAgain) {
  PushTotals totals = TwoPages();
  totals.reread = 1;
  EXPECT_DOUBLE_EQ(PushErrorBound(totals, kEdge), 3 * 300.0 / 1000);
}

// Cash of 50 on one of them and a debt of 50 on another are 100 that may still move, not nothing.
TEST(PushErrorBoundTest, ADebtOfAPageDoesNotHideTheCashOfAnother) {
  PushTotals totals = TwoPages();
  totals.reread = 2;
  totals.history += totals.unread;
  totals.unread = 0;
  totals.unread_debt = 50;
  EXPECT_DOUBLE_EQ(PushErrorBound(totals, kEdge), 3 * 100.0 / 1000);
}

// Settling has nothing to do with them.
TEST(PushSettledErrorTest, LeavesPagesToBeFetchedAgainOut) {
  PushTotals totals = TwoPages();
  totals.reread = 1;
  EXPECT_EQ(PushSettledError(totals, kEdge), 0);
  totals.residual = totals.read = 10;
  totals.unread_pages = 1;
  EXPECT_DOUBLE_EQ(PushSettledError(totals, kEdge), 3 * 15.0 / 1000);
}

TEST(PushFloorTest, PagesBelowItKeepTheBound) {
  PushTotals totals = TwoPages();
  totals.pages = 12;
  totals.unread_pages = 2;
  const cash::Amount floor = PushFloor(totals, kEdge, 0.12);
  EXPECT_EQ(floor, cash::Amount(2));  // 0.12 * 1000 / (2 * 3 * 10)
  // |C - R / n| adds up to no more than |C| and |R| read / n.
  totals.read = 10 * floor.units();
  totals.residual = totals.read + totals.read * 10 / 12;
  EXPECT_LE(PushErrorBound(totals, kEdge), 0.12);
}

}  // namespace
}  // namespace opic::importance
