#include "node/recent_rate.h"

#include <gtest/gtest.h>

namespace opic::node {
namespace {

absl::Time Second(double seconds) { return absl::UnixEpoch() + absl::Seconds(seconds); }

TEST(RecentRateTest, IsThatOfTheLastTenSeconds) {
  RecentRate rate;
  for (int tenth = 0; tenth <= 600; ++tenth)  // 20 a second for half a minute, then 5
    rate.Note(Second(tenth / 10.),
              static_cast<uint64_t>(tenth <= 300 ? 2 * tenth : 450 + tenth / 2));
  EXPECT_NEAR(rate.per_s(), 5, 0.6);
}

TEST(RecentRateTest, FallsToNothingWhenNothingComes) {
  RecentRate rate;
  rate.Note(Second(0), 0);
  rate.Note(Second(1), 100);
  EXPECT_DOUBLE_EQ(rate.per_s(), 100);
  rate.Note(Second(60), 100);
  rate.Note(Second(61), 100);
  rate.Note(Second(71), 100);
  EXPECT_EQ(rate.per_s(), 0);
}

TEST(RecentRateTest, SaysNothingInTheFirstSecond) {
  RecentRate rate;
  rate.Note(Second(0), 0);
  rate.Note(Second(0.5), 100);
  EXPECT_EQ(rate.per_s(), 0);
}

}  // namespace
}  // namespace opic::node
