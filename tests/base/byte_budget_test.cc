#include "base/byte_budget.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/sleeping_thread.h"

namespace opic::base {
namespace {

TEST(ByteBudgetTest, WhatIsHeldIsGivenBackWhenItsHolderGoes) {
  ByteBudget budget(100);
  {
    HeldBytes held(budget);
    held.Set(60);
    EXPECT_EQ(budget.held(), 60u);
    held.Set(40);
    EXPECT_EQ(budget.held(), 40u);
    EXPECT_FALSE(budget.full());
  }
  EXPECT_EQ(budget.held(), 0u);
  EXPECT_EQ(budget.peak(), 60u);
}

TEST(ByteBudgetTest, BytesGoWithTheirHolderWhenItIsMoved) {
  ByteBudget budget(100);
  HeldBytes first(budget), second(budget);
  first.Set(10);
  second.Set(20);
  HeldBytes third(std::move(first));
  EXPECT_EQ(budget.held(), 30u);
  third = std::move(second);
  EXPECT_EQ(budget.held(), 20u);
  first.Set(5);  // NOLINT(bugprone-use-after-move): holds nothing, and of no budget
  EXPECT_EQ(budget.held(), 20u);
}

TEST(ByteBudgetTest, OneThatIsFullTakesMoreAndSaysSo) {
  ByteBudget budget(100);
  HeldBytes held(budget);
  held.Set(100);
  EXPECT_TRUE(budget.full());
  held.Set(150);
  EXPECT_EQ(budget.held(), 150u);
}

TEST(ByteBudgetTest, TellsThatBytesWereGivenBackToACrowdedOne) {
  ByteBudget budget(100);
  int told = 0;
  budget.WhenRoom([&] { ++told; });
  HeldBytes held(budget);
  held.Set(50);
  held.Set(10);
  EXPECT_EQ(told, 0) << "it was never crowded";
  held.Set(130);
  held.Set(110);
  EXPECT_EQ(told, 1) << "it is full still";
  held.Set(90);
  EXPECT_EQ(told, 2) << "it is crowded still";
  EXPECT_TRUE(budget.crowded());
  held.Set(80);
  EXPECT_EQ(told, 3);
  EXPECT_FALSE(budget.crowded());
  held.Set(70);
  EXPECT_EQ(told, 3);
  budget.WhenRoom(nullptr);
  held.Set(100);
  held.Set(0);
  EXPECT_EQ(told, 3);
}

TEST(ByteBudgetTest, AWaiterComesInWhenAllOfItFits) {
  ByteBudget budget(100);
  HeldBytes held(budget);
  held.Set(60);
  std::atomic<bool> in = false;
  support::SleepingThread waiter([&] {
    const HeldBytes mine = budget.Await(50);
    in = true;
    EXPECT_EQ(budget.held(), 100u);
  });
  EXPECT_TRUE(waiter.AwaitSleep());
  EXPECT_FALSE(in);
  held.Set(50);
  waiter.Join();
  EXPECT_TRUE(in);
  EXPECT_EQ(budget.held(), 50u);
}

TEST(ByteBudgetTest, WhatIsLargerThanTheBudgetPassesAlone) {
  ByteBudget budget(100);
  HeldBytes large = budget.Await(1000);
  EXPECT_EQ(budget.held(), 1000u);
  support::SleepingThread waiter([&] { EXPECT_EQ(budget.Await(1).bytes(), 1u); });
  EXPECT_TRUE(waiter.AwaitSleep());
  large.Set(0);
  waiter.Join();
  EXPECT_EQ(budget.peak(), 1000u);
}

}  // namespace
}  // namespace opic::base
