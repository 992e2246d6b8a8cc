#include "base/clock.h"

#include <gtest/gtest.h>

namespace opic::base {
namespace {

TEST(ManualClockTest, TimePassesForBothWaysToReadIt) {
  ManualClock clock(absl::FromUnixSeconds(100));
  clock.Advance(absl::Seconds(5));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(105));
  EXPECT_EQ(clock.Steady(), absl::FromUnixSeconds(105));
}

// Pauses and deadlines must not follow a wall clock that somebody sets.
TEST(ManualClockTest, AStepOfTheWallClockIsNoTime) {
  ManualClock clock(absl::FromUnixSeconds(100));
  clock.Step(-absl::Hours(1));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(100) - absl::Hours(1));
  EXPECT_EQ(clock.Steady(), absl::FromUnixSeconds(100));
}

TEST(RealClockTest, SteadyTimeNeverFallsAndBeginsAtTheWallTime) {
  RealClock& clock = RealClock::Get();
  const absl::Time first = clock.Steady();
  EXPECT_LE(first, clock.Steady());
  EXPECT_LT(absl::AbsDuration(clock.Now() - clock.Steady()), absl::Hours(1));
}

}  // namespace
}  // namespace opic::base
