#include "schedule/threshold_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "tests/schedule/vector_pool.h"

namespace opic::schedule {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<VectorPool::Slot> RandomCash(size_t count, uint64_t most) {
  base::Rng rng(1);
  std::vector<VectorPool::Slot> slots(count);
  for (VectorPool::Slot& slot : slots) slot.cash = rng.Below(most) + 1;
  return slots;
}

TEST(ThresholdSweepTest, StartsAtNineteenTenthsOfTheMeanCash) {
  std::vector<VectorPool::Slot> slots(40, {.cash = 100});
  for (size_t i = 0; i < 20; ++i) slots[i] = {.cash = 300, .eligible = false};
  VectorPool pool(slots);
  ThresholdSweep sweep;
  Choose(sweep, pool, 1, 1);
  EXPECT_EQ(sweep.threshold(), cash::Amount(380));
}

TEST(ThresholdSweepTest, APageIsChosenWhenItsCashReachesTheThreshold) {
  VectorPool pool({{.cash = 189}, {.cash = 190}, {.cash = 1}, {.cash = 20}});  // mean 100
  ThresholdSweep sweep;
  EXPECT_THAT(Words(Choose(sweep, pool, 4, 2)), ElementsAre(1));
}

TEST(ThresholdSweepTest, TheRateSettlesAtOneTwelfthOfTheScanned) {
  VectorPool pool(RandomCash(6400, 1'000'000));
  ThresholdSweep sweep;
  for (int turn = 0; turn < 10; ++turn) Choose(sweep, pool, 6400, 6400);
  size_t chosen = 0;
  for (int turn = 0; turn < 20; ++turn) chosen += Choose(sweep, pool, 6400, 6400).size();
  EXPECT_NEAR(static_cast<double>(chosen) / (20 * 6400), 1.0 / 12, 0.002);
}

// As in a crawl that settles: a chosen page's cash is spread over all. Steps up are cut more often
// than steps down, so the rate lies a little above r.
TEST(ThresholdSweepTest, TheRateStaysNearOneTwelfthWhileCashFlows) {
  VectorPool pool(RandomCash(6400, 1'000'000));
  ThresholdSweep sweep;
  base::Rng rng(2);
  size_t chosen = 0;
  for (int piece = 0; piece < 60 * 64; ++piece) {
    const auto pages = Choose(sweep, pool, 100, 100);
    for (const Candidate& page : pages) {
      pool.at(page.page).cash = 0;
      for (int share = 0; share < 10; ++share) {
        pool.at(PageId::FromWord(rng.Below(6400))).cash += page.cash.units() / 10;
      }
    }
    if (piece >= 20 * 64) chosen += pages.size();
  }
  EXPECT_NEAR(static_cast<double>(chosen) / (40 * 6400), 1.0 / 12, 0.025);
}

TEST(ThresholdSweepTest, PagesThatMayNotBeChosenDoNotCountAsScanned) {
  std::vector<VectorPool::Slot> slots(64'000, {.cash = 0, .eligible = false});
  for (size_t i = 0; i < slots.size(); i += 100) slots[i] = {.cash = 1000, .eligible = true};
  VectorPool pool(slots);
  ThresholdSweep sweep;
  Choose(sweep, pool, 1, 1);
  const cash::Amount start = sweep.threshold();
  Choose(sweep, pool, 1000, 63 * 100);  // a block of 64 eligible pages, each above θ
  EXPECT_NEAR(static_cast<double>(sweep.threshold().units()),
              static_cast<double>(start.units()) * std::exp(0.5), 2);
}

TEST(ThresholdSweepTest, AQuarterTurnWithoutAChoiceLowersTheThresholdByATenth) {
  std::vector<VectorPool::Slot> slots(40, {.cash = 1000});
  VectorPool pool(slots);
  ThresholdSweep sweep;
  Choose(sweep, pool, 1, 9);
  EXPECT_EQ(sweep.threshold(), cash::Amount(1900));
  Choose(sweep, pool, 1, 1);
  EXPECT_EQ(sweep.threshold(), cash::Amount(1710));
  Choose(sweep, pool, 1, 10);
  EXPECT_EQ(sweep.threshold(), cash::Amount(1539));
}

TEST(ThresholdSweepTest, AWholeTurnWithoutAChoiceFindsTheLargestCash) {
  std::vector<VectorPool::Slot> slots(40, {.cash = 1'000'000'000, .eligible = false});
  slots[17] = {.cash = 3};
  slots[30] = {.cash = 7};
  VectorPool pool(slots);
  ThresholdSweep sweep;
  EXPECT_THAT(Choose(sweep, pool, 2, 40), IsEmpty());
  EXPECT_EQ(sweep.threshold(), cash::Amount(7));
  EXPECT_THAT(Words(Choose(sweep, pool, 2, 40)), ElementsAre(30));
}

// A read-once crawl comes to its end though the unread pages hold no cash at all.
// A crawl hung on its last page: as a double, the largest cash seen was above the largest cash.
TEST(ThresholdSweepTest, ALonePageWithMoreUnitsThanADoubleHoldsIsChosen) {
  std::vector<VectorPool::Slot> slots(64, {.cash = 1, .eligible = false});
  slots[0] = {.cash = (uint64_t{1} << 55) + 5};
  VectorPool pool(slots);
  ThresholdSweep sweep;
  size_t chosen = 0;
  for (int turn = 0; turn < 10 && chosen == 0; ++turn) chosen = Choose(sweep, pool, 1, 64).size();
  EXPECT_EQ(chosen, 1u);
}

TEST(ThresholdSweepTest, PagesWithoutCashAreAllChosenWithinAFewTurns) {
  std::vector<VectorPool::Slot> slots(1000, {.cash = 1'000'000, .eligible = false});
  for (size_t i = 0; i < 500; ++i) slots[2 * i] = {.cash = 0};
  VectorPool pool(slots);
  ThresholdSweep sweep;
  EXPECT_THAT(ReadAll(sweep, pool, 100, 3), SizeIs(500));
}

TEST(ThresholdSweepTest, FallsBelowOneUnitToZero) {
  VectorPool pool({{.cash = 1}, {.cash = 0}});  // mean 0
  ThresholdSweep sweep;
  Choose(sweep, pool, 1, 1);
  EXPECT_EQ(sweep.threshold(), cash::Amount(0));
}

// Seen without the rule: at zero no factor lifts θ, and the sweep is a mere cycle for ever.
TEST(ThresholdSweepTest, RisesFromZeroWhenCashComesIn) {
  VectorPool pool(std::vector<VectorPool::Slot>(640));
  ThresholdSweep sweep;
  Choose(sweep, pool, 1, 1);
  ASSERT_EQ(sweep.threshold(), cash::Amount(0));
  for (size_t i = 0; i < 640; ++i) pool.at(PageId::FromWord(i)).cash = 1000;
  Choose(sweep, pool, 64, 64);
  EXPECT_GT(sweep.threshold(), cash::Amount(1000));
}

// The rest of a bundle after the last wanted page says nothing about the rate: refused offers do
// not move θ.
TEST(ThresholdSweepTest, PagesNotWantedDoNotCountAsScanned) {
  std::vector<VectorPool::Slot> slots(6400, {.cash = 1000});
  for (size_t i = 0; i < 6400; i += 2) slots[i] = {.cash = 0, .eligible = false};
  VectorPool pool(slots, 32);
  ThresholdSweep sweep;
  for (int i = 0; i < 20; ++i) EXPECT_THAT(Choose(sweep, pool, 1, 6400), SizeIs(1));
  EXPECT_EQ(sweep.threshold(), cash::Amount(950));
}

}  // namespace
}  // namespace opic::schedule
