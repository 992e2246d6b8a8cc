#include "schedule/host_pace.h"

#include <gtest/gtest.h>

namespace opic::schedule {
namespace {

const absl::Time kEnd = absl::FromUnixSeconds(1'000'000'000);

Outcome Answer(int status) {
  return {.result = Result::kDone, .requested = true, .ended = kEnd, .status = status};
}
Outcome Silence() {
  return {.result = Result::kTransient, .requested = true, .ended = kEnd, .network_failure = true};
}

class HostPaceTest : public ::testing::Test {
 protected:
  // How long after the end of `outcome` the host must be left alone.
  absl::Duration PauseAfter(const Outcome& outcome) {
    pace_.next_allowed = absl::InfinitePast();
    pace_.Learn(outcome, kEnd, limits_);
    return pace_.next_allowed - kEnd;
  }

  PaceLimits limits_;
  HostPace pace_;
};

TEST_F(HostPaceTest, ARequestIsFollowedByTheDelay) {
  EXPECT_EQ(PauseAfter(Answer(200)), absl::Seconds(1));
  limits_.delay = absl::Milliseconds(200);
  EXPECT_EQ(PauseAfter(Answer(404)), absl::Milliseconds(200));
}

TEST_F(HostPaceTest, WithoutARequestNothingIsLearnt) {
  const HostPace before = pace_;
  pace_.Learn({.result = Result::kPostponed, .ended = kEnd}, kEnd, limits_);
  pace_.Learn({.result = Result::kDone, .ended = kEnd}, kEnd, limits_);
  EXPECT_EQ(pace_, before);
}

TEST_F(HostPaceTest, ALongerCrawlDelayWinsAndIsKept) {
  Outcome robots = Answer(200);
  robots.crawl_delay = absl::Seconds(7);
  EXPECT_EQ(PauseAfter(robots), absl::Seconds(7));
  EXPECT_EQ(PauseAfter(Answer(200)), absl::Seconds(7));
}

TEST_F(HostPaceTest, AShorterCrawlDelayDoesNotUndercutTheDelay) {
  Outcome robots = Answer(200);
  robots.crawl_delay = absl::Milliseconds(10);
  EXPECT_EQ(PauseAfter(robots), absl::Seconds(1));
}

TEST_F(HostPaceTest, AnEndlessCrawlDelayIsCut) {
  Outcome robots = Answer(200);
  robots.crawl_delay = absl::InfiniteDuration();
  EXPECT_EQ(PauseAfter(robots), absl::Minutes(5));
}

TEST_F(HostPaceTest, BackOffDoublesUpToItsMostAndASuccessEndsIt) {
  limits_.backoff_max = absl::Seconds(10);
  for (int seconds : {2, 4, 8, 10, 10}) {
    EXPECT_EQ(PauseAfter(Answer(503)), absl::Seconds(seconds));
  }
  EXPECT_EQ(PauseAfter(Answer(200)), absl::Seconds(1));
  EXPECT_EQ(PauseAfter(Answer(429)), absl::Seconds(2));
}

TEST_F(HostPaceTest, ALongerRetryAfterWinsAndIsCutToAnHour) {
  Outcome busy = Answer(503);
  busy.retry_after = absl::Seconds(30);
  EXPECT_EQ(PauseAfter(busy), absl::Seconds(30));
  busy.retry_after = absl::Hours(100);
  EXPECT_EQ(PauseAfter(busy), absl::Hours(1));
  busy.retry_after = -absl::InfiniteDuration();
  EXPECT_EQ(PauseAfter(busy), absl::Seconds(8));
}

TEST_F(HostPaceTest, AHostSilentOftenEnoughIsGivenUpForADay) {
  for (int i = 1; i < 6; ++i) pace_.Learn(Silence(), kEnd, limits_);
  EXPECT_FALSE(pace_.given_up(kEnd));
  pace_.Learn(Silence(), kEnd, limits_);
  EXPECT_TRUE(pace_.given_up(kEnd + absl::Hours(24) - absl::Seconds(1)));
  EXPECT_FALSE(pace_.given_up(kEnd + absl::Hours(24)));
}

TEST_F(HostPaceTest, OnceGivenUpOneMoreFailureIsEnough) {
  for (int i = 0; i < 6; ++i) pace_.Learn(Silence(), kEnd, limits_);
  const absl::Time next_day = kEnd + absl::Hours(25);
  pace_.Learn(Silence(), next_day, limits_);
  EXPECT_TRUE(pace_.given_up(next_day));
}

TEST_F(HostPaceTest, AnyAnswerEndsTheCountOfFailures) {
  for (int i = 0; i < 5; ++i) pace_.Learn(Silence(), kEnd, limits_);
  pace_.Learn(Answer(500), kEnd, limits_);
  EXPECT_EQ(pace_.failures, 0);
  pace_.Learn(Silence(), kEnd, limits_);
  EXPECT_FALSE(pace_.given_up(kEnd));
}

// A name that does not resolve: no request went out, and yet asking again at once would be of no
// use.
TEST_F(HostPaceTest, AFailureBeforeTheRequestBacksOffToo) {
  Outcome unresolved = Silence();
  unresolved.requested = false;
  EXPECT_EQ(PauseAfter(unresolved), absl::Seconds(2));
  EXPECT_EQ(pace_.failures, 1);
}

TEST_F(HostPaceTest, ALaterPromiseIsNotShortened) {
  pace_.next_allowed = kEnd + absl::Minutes(3);
  pace_.Learn(Answer(200), kEnd, limits_);
  EXPECT_EQ(pace_.next_allowed, kEnd + absl::Minutes(3));
}

TEST_F(HostPaceTest, TimesThatNoOutcomeCouldHaveSetAreCut) {
  pace_.next_allowed = pace_.given_up_until = kEnd + absl::Hours(10'000);
  pace_.CutFutureTimes(kEnd, limits_);
  EXPECT_EQ(pace_.next_allowed, kEnd + absl::Hours(1));
  EXPECT_EQ(pace_.given_up_until, kEnd + absl::Hours(24));
}

TEST_F(HostPaceTest, APlainPauseNeedNotSurviveACrash) {
  pace_.Learn(Answer(200), kEnd, limits_);
  EXPECT_FALSE(pace_.OutlastsPause(kEnd, limits_));
  Outcome busy = Answer(200);
  busy.retry_after = absl::Minutes(1);
  pace_.Learn(busy, kEnd, limits_);
  EXPECT_TRUE(pace_.OutlastsPause(kEnd, limits_));
  EXPECT_FALSE(pace_.OutlastsPause(kEnd + absl::Minutes(1), limits_));
}

}  // namespace
}  // namespace opic::schedule
