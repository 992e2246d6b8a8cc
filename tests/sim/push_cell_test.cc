#include "sim/push_cell.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace opic::sim {
namespace {

TEST(PushCell, KeepsLeadingBitsAndTheSign) {
  const PushCell down{Rounding::kDown, 3};
  EXPECT_EQ(Kept(down, 15, 0), 15);
  EXPECT_EQ(Kept(down, 0b111011, 0), 0b111000);
  EXPECT_EQ(Kept(down, -0b111011, 0), -0b111000);
  EXPECT_EQ(Kept({}, 0b111011, 0), 0b111011);
}

TEST(PushCell, RoundsUpAsOftenAsTheRemainderSays) {
  const PushCell cell{Rounding::kUnbiased, 3};
  base::Rng rng(1);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) sum += static_cast<double>(Kept(cell, -0b111011, rng()));
  EXPECT_NEAR(sum / 100'000, -0b111011, 0.05);
}

}  // namespace
}  // namespace opic::sim
