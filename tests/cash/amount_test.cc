#include "cash/amount.h"

#include <gtest/gtest.h>

namespace opic::cash {
namespace {

TEST(AmountTest, AddsAndSubtractsExactly) {
  EXPECT_EQ(Amount(7) + Amount(5), Amount(12));
  EXPECT_EQ(kSupply - Amount(1) + Amount(1), kSupply);
}

TEST(AmountTest, ComparesAsUnitsDo) {
  EXPECT_LT(Amount(1), Amount(2));
  EXPECT_EQ(Amount(), Amount(0));
}

TEST(AmountDeathTest, SubtractingBelowZeroEndsTheProcess) {
  EXPECT_DEATH((void)(Amount(1) - Amount(2)), "negative cash");
}

TEST(AmountDeathTest, AddingPast64BitsEndsTheProcess) {
  EXPECT_DEATH((void)(Amount(~uint64_t{0}) + Amount(1)), "cash overflows");
}

TEST(SumTest, PrintsDecimalDigitsPast64Bits) {
  EXPECT_EQ(ToString(0), "0");
  EXPECT_EQ(ToString(kSupply.units()), "1000000000000000000");
  EXPECT_EQ(ToString(Sum{1} << 127), "170141183460469231731687303715884105728");
}

}  // namespace
}  // namespace opic::cash
