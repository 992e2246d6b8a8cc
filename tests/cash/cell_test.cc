#include "cash/cell.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace opic::cash {
namespace {

const Cell kLargest = Cell::TowardsZero(Amount(std::numeric_limits<int64_t>::max()));

TEST(CellTest, HoldsEveryAmountUpTo2048Exactly) {
  for (int64_t units = -2048; units <= 2048; ++units) {
    EXPECT_EQ(Cell::TowardsZero(Amount(units)).value(), Amount(units));
  }
}

TEST(CellTest, BitsOrderAsValuesDo) {
  for (uint32_t bits = 0; bits < kLargest.bits(); ++bits) {
    EXPECT_LT(Cell::FromBits(bits).value(), Cell::FromBits(bits).Next().value()) << bits;
  }
}

TEST(CellTest, RoundingACellsValueGivesTheCell) {
  for (uint32_t bits = 0; bits <= kLargest.bits(); ++bits) {
    EXPECT_EQ(Cell::TowardsZero(Cell::FromBits(bits).value()).bits(), bits);
  }
}

TEST(CellTest, TowardsZeroIsTheLargestCellNotAbove) {
  base::Rng rng(2);
  for (int i = 0; i < 10'000; ++i) {
    const Amount amount(rng() >> (1 + rng.Below(63)));
    const Cell cell = Cell::TowardsZero(amount);
    EXPECT_LE(cell.value(), amount);
    EXPECT_GT(cell.Next().value(), amount);
  }
}

TEST(CellTest, HoldsMoreThanTheSupply) {
  EXPECT_GT(Cell::TowardsZero(kSupply).Next().value(), kSupply);
  EXPECT_GT(kLargest.value(), kSupply);
}

TEST(CellTest, ErrorIsBelowOneInAThousand) {
  const Amount lost = kSupply - Cell::TowardsZero(kSupply).value();
  EXPECT_LE(lost.units(), kSupply.units() / 1024);
}

TEST(AddRoundedTest, KeepsTheReserveEquationOverRandomSequences) {
  base::Rng rng(3);
  Cell cell;
  Amount reserve(1'000'000);
  for (uint64_t i = 0; i < 20'000; ++i) {
    if (i % 500 == 0) cell = Cell();
    const Amount amount(rng.Below(uint64_t{1} << rng.Below(50)));
    const Amount before = cell.value() + amount + reserve;
    cell = AddRounded(cell, amount, rng(), &reserve);
    ASSERT_EQ(cell.value() + reserve, before);
  }
}

TEST(AddRoundedTest, WhatFitsNeedsNoReserve) {
  Amount reserve(5);
  EXPECT_EQ(AddRounded(Cell::FromBits(1000), Amount(23), 0, &reserve).value(), Amount(1023));
  EXPECT_EQ(AddRounded(Cell(), Amount(uint64_t{3} << 50), 0, &reserve).value(),
            Amount(uint64_t{3} << 50));
  EXPECT_EQ(reserve, Amount(5));
}

// 4096 has step 4: adding 1 leaves a remainder of 1, so exactly the draws below a quarter round up.
TEST(AddRoundedTest, RoundsUpWithProbabilityRemainderOverStep) {
  const Cell cell = Cell::TowardsZero(Amount(4096));
  Amount reserve(100);
  const uint64_t quarter = uint64_t{1} << 62;
  EXPECT_EQ(AddRounded(cell, Amount(1), quarter - 1, &reserve).value(), Amount(4100));
  EXPECT_EQ(reserve, Amount(97));
  EXPECT_EQ(AddRounded(cell, Amount(1), quarter, &reserve).value(), Amount(4096));
  EXPECT_EQ(reserve, Amount(98));
}

TEST(AddRoundedTest, RoundsDownWhenTheReserveCannotPay) {
  const Cell cell = Cell::TowardsZero(Amount(4096));
  Amount reserve(2);
  EXPECT_EQ(AddRounded(cell, Amount(1), 0, &reserve).value(), Amount(4096));
  EXPECT_EQ(reserve, Amount(3));
  EXPECT_EQ(AddRounded(cell, Amount(1), 0, &reserve).value(), Amount(4100));
  EXPECT_EQ(reserve, Amount(0));
}

// Rounding down alone would stop the cell at 2,048 or so; the mean of many small credits must not
// drift.
TEST(AddRoundedTest, ManySmallCreditsAreUnbiased) {
  constexpr int kPages = 400;
  constexpr uint64_t kCredits = 2000, kEach = 1000;
  double total = 0;
  for (uint64_t id = 0; id < kPages; ++id) {
    Cell cell;
    Amount reserve = kSupply;
    for (uint64_t log = 0; log < kCredits; ++log) {
      const uint64_t draw = RoundingDraw(log, PageId(ShardId{3}, id));
      cell = AddRounded(cell, Amount(kEach), draw, &reserve);
    }
    total += static_cast<double>(cell.value().units());
  }
  const double exact = static_cast<double>(kCredits * kEach) * kPages;
  EXPECT_NEAR(total / exact, 1.0, 0.002);
}

TEST(AddRoundedDeathTest, MoreThanThereCanBeOnOnePageEndsTheProcess) {
  Amount reserve = kSupply;
  const Cell most = Cell::TowardsZero(kHoldingMax);
  EXPECT_DEATH(AddRounded(most, kSupply, 0, &reserve), "more than there can be");
}

TEST(RoundingDrawTest, DependsOnLogNumberAndPage) {
  const PageId page(ShardId{1}, 7);
  EXPECT_EQ(RoundingDraw(5, page), RoundingDraw(5, page));
  EXPECT_NE(RoundingDraw(5, page), RoundingDraw(6, page));
  EXPECT_NE(RoundingDraw(5, page), RoundingDraw(5, PageId(ShardId{2}, 7)));
}

// Replays of stored journals depend on these numbers: they may never change.
TEST(RoundingDrawTest, IsStable) {
  EXPECT_EQ(RoundingDraw(0, PageId()), base::Mix64(base::Mix64(0)));
  EXPECT_EQ(base::Mix64(0), 0xe220a8397b1dcdafu);
}

}  // namespace
}  // namespace opic::cash
