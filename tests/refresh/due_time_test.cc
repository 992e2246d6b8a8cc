#include "refresh/due_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace opic::refresh {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1'000'000'000);
constexpr absl::Duration kPeriod = absl::Seconds(100);
constexpr double kFrequency = 0.01;

TEST(NextDue, FollowsFromTheDueTimeBefore) {
  EXPECT_EQ(NextDue(kStart, kStart, kFrequency), kStart + kPeriod);
  EXPECT_EQ(NextDue(kStart, kStart + absl::Seconds(30), kFrequency), kStart + kPeriod);
}

TEST(NextDue, DoesNotMakeUpForWhatWasMissed) {
  const absl::Time late = kStart + 10 * kPeriod;
  EXPECT_EQ(NextDue(kStart, late, kFrequency), late + kPeriod / 2);
}

TEST(NextDue, BeginsAnewAfterAnEarlyFetch) {
  const absl::Time early = kStart - absl::Seconds(70);
  EXPECT_EQ(NextDue(kStart, early, kFrequency), early + kPeriod);
}

// With a scan every 24 hours, due times at a period of 40 hours are met 99.99 % of the time, while
// "elapsed >= period at the scan" would come every 48 hours: 83 %.
TEST(NextDue, SpendsTheWholeBandwidthWhateverTheDelay) {
  const double frequency = 1 / 40.0 / 3600;
  absl::Time due = kStart;
  int fetches = 0;
  for (int day = 0; day < 10'000; ++day) {
    const absl::Time now = kStart + day * absl::Hours(24);
    if (due > now) continue;
    due = NextDue(due, now, frequency);
    ++fetches;
  }
  EXPECT_NEAR(fetches, 10'000 * 24 / 40.0, 1);
}

TEST(MovedDue, KeepsThePartOfThePeriodThatIsLeft) {
  const absl::Time due = kStart + absl::Seconds(50);
  EXPECT_EQ(MovedDue(due, kStart, kFrequency, 2 * kFrequency), kStart + absl::Seconds(25));
  EXPECT_EQ(MovedDue(due, kStart, kFrequency, kFrequency / 4), kStart + absl::Seconds(200));
  EXPECT_EQ(MovedDue(kStart - kPeriod, kStart, kFrequency, 1), kStart - kPeriod);
  EXPECT_EQ(MovedDue(absl::InfiniteFuture(), kStart, 0, kFrequency), kStart + kPeriod);
  EXPECT_EQ(MovedDue(due, kStart, kFrequency, 0), absl::InfiniteFuture());
}

TEST(DueTimes, AreNeverOfWhatIsNoFrequency) {
  for (const double odd : {0.0, -1.0, std::nan("")}) {
    EXPECT_EQ(NextDue(kStart, kStart, odd), absl::InfiniteFuture());
    EXPECT_EQ(MovedDue(kStart + kPeriod, kStart, 1, odd), absl::InfiniteFuture());
    EXPECT_EQ(MovedDue(kStart - kPeriod, kStart, 1, odd), absl::InfiniteFuture());  // overdue
    EXPECT_EQ(MovedDue(kStart + kPeriod, kStart, odd, odd), absl::InfiniteFuture());
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(NextDue(kStart, kStart, infinity), kStart);
  EXPECT_EQ(NextDue(kStart, kStart, 1e-300), absl::InfiniteFuture());
}

}  // namespace
}  // namespace opic::refresh
