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

// The share of its frequency that a page has when a scan every 24 hours fetches what is due.
double ShareWithADailyScan(double period_hours) {
  absl::Time due = kStart;
  int fetches = 0;
  constexpr int kDays = 10'000;
  for (int day = 0; day < kDays; ++day) {
    const absl::Time now = kStart + day * absl::Hours(24);
    if (due > now) continue;
    due = NextDue(due, now, 1 / period_hours / 3600);
    ++fetches;
  }
  return fetches * period_hours / 24 / kDays;
}

// "elapsed >= period at the scan" would come every 48 hours: 83 % of a period of 40 hours, 58 % of
// one of 28.
TEST(NextDue, LosesNothingByDelaysOfUpToHalfAPeriod) {
  EXPECT_NEAR(ShareWithADailyScan(40), 1, 0.001);
  EXPECT_NEAR(ShareWithADailyScan(48.5), 1, 0.001);
}

TEST(NextDue, LosesALittleByLongerDelays) {
  EXPECT_NEAR(ShareWithADailyScan(28), 14.0 / 15, 0.001);
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
