#include "cash/amount.h"

#include <gtest/gtest.h>

#include <limits>

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

TEST(AmountTest, BelowZeroIsADebt) {
  EXPECT_EQ(Amount(1) - Amount(3), Amount(-2));
  EXPECT_EQ((Amount(1) - Amount(3)).magnitude(), 2u);
}

TEST(AmountDeathTest, LeavingTheRangeOf64BitsEndsTheProcess) {
  const Amount most(std::numeric_limits<int64_t>::max());
  EXPECT_DEATH((void)(most + Amount(1)), "cash overflows");
  EXPECT_DEATH((void)(Amount(-2) - most), "cash overflows");
}

TEST(SumTest, PrintsDecimalDigitsPast64Bits) {
  EXPECT_EQ(ToString(0), "0");
  EXPECT_EQ(ToString(kSupply.units()), "1000000000000000000");
  EXPECT_EQ(ToString(Sum{1} << 126), "85070591730234615865843651857942052864");
  EXPECT_EQ(ToString(-(Sum{1} << 126) * 2), "-170141183460469231731687303715884105728");
}

// What peers tell is added up: thousands of the longest stay in 128 bits.
TEST(SumTest, ReadsWhatItPrintsUpTo34Digits) {
  const Sum clock_max = Sum{1} << 110;
  for (const Sum sum : {Sum{0}, Sum{-7}, clock_max, -clock_max})
    EXPECT_TRUE(ReadSum(ToString(sum)) == sum);
  EXPECT_TRUE(ReadSum(std::string(34, '9')).has_value());
  EXPECT_FALSE(ReadSum(std::string(35, '9')).has_value());
  EXPECT_FALSE(ReadSum("-" + std::string(35, '9')).has_value());
  EXPECT_FALSE(ReadSum("").has_value());
}

}  // namespace
}  // namespace opic::cash
