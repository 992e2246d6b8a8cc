#include "base/rng.h"

#include <gtest/gtest.h>

#include <array>

namespace opic::base {
namespace {

// Stored data and replays depend on it: the first outputs of SplitMix64 for the seed 0.
TEST(RngTest, IsSplitMix64) {
  Rng rng(0);
  EXPECT_EQ(rng(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(rng(), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(rng(), 0x06c45d188009454fu);
  EXPECT_EQ(Mix64(0), 0xe220a8397b1dcdafu);
}

TEST(RngTest, BelowGivesEveryNumberAboutAsOftenAndNoOther) {
  Rng rng(1);
  std::array<int, 7> seen{};
  for (int i = 0; i < 7000; ++i) ++seen.at(rng.Below(7));
  for (int count : seen) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(rng.Below(1), 0u);
}

TEST(RngTest, UniformIsBelowOne) {
  Rng rng(2);
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = rng.Uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10'000, 0.5, 0.02);
}

}  // namespace
}  // namespace opic::base
