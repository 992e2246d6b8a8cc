#include "schedule/host_pace.h"

#include <gtest/gtest.h>

namespace opic::schedule {
namespace {

const absl::Time kEnd = absl::FromUnixSeconds(1'000'000'000);

Outcome Answer(int status) {
  return {.result = Result::kDone, .requested = true, .ended = kEnd, .status = status};
}
// No connection could be had.
Outcome Silence() { return {.result = Result::kTransient, .ended = kEnd, .network_failure = true}; }
// Nor for its robots.txt.
Outcome NoRobots() {
  return {.result = Result::kPostponed, .ended = kEnd, .network_failure = true};
}
// The connection was there, and no answer came.
Outcome Hang() {
  return {.result = Result::kTransient, .requested = true, .ended = kEnd, .network_failure = true};
}
// It came up to its status line, at the last attempt.
Outcome BrokenOff() {
  Outcome outcome = Answer(200);
  outcome.network_failure = true;
  return outcome;
}

class HostPaceTest : public ::testing::Test {
 protected:
  // How long after the end of `outcome` the host must be left alone.
  absl::Duration PauseAfter(const Outcome& outcome) {
    pace_.next_allowed = absl::InfinitePast();
    Learn(outcome);
    return pace_.next_allowed - kEnd;
  }

  void Learn(const Outcome& outcome, bool first_attempt = true) {
    pace_.Learn(outcome, first_attempt, kEnd, limits_);
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
  Learn({.result = Result::kPostponed, .ended = kEnd});
  Learn({.result = Result::kDone, .ended = kEnd});
  EXPECT_EQ(pace_, before);
}

TEST_F(HostPaceTest, ALongerCrawlDelayWinsAndIsKept) {
  Outcome robots = Answer(200);
  robots.crawl_delay = absl::Seconds(7);
  EXPECT_EQ(PauseAfter(robots), absl::Seconds(7));
  EXPECT_EQ(PauseAfter(Answer(200)), absl::Seconds(7));
}

TEST_F(HostPaceTest, ACrawlDelayThatIsTakenBackIsOver) {
  Outcome robots = Answer(200);
  robots.crawl_delay = absl::Seconds(7);
  EXPECT_EQ(PauseAfter(robots), absl::Seconds(7));
  robots.crawl_delay = absl::ZeroDuration();
  EXPECT_EQ(PauseAfter(robots), limits_.delay);
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
    EXPECT_EQ(PauseAfter(Answer(429)), absl::Seconds(seconds));
  }
  EXPECT_EQ(PauseAfter(Answer(200)), absl::Seconds(1));
  EXPECT_EQ(PauseAfter(Answer(429)), absl::Seconds(2));
}

// Whose robots.txt is asked for again: pages with these are told as transient.
TEST_F(HostPaceTest, AHostWhoseRobotsTxtIsForLaterIsGivenTime) {
  for (const int status : {408, 425}) {
    pace_ = HostPace();
    Outcome robots = Answer(status);
    robots.of_robots = true;
    for (const int seconds : {2, 4})
      EXPECT_EQ(PauseAfter(robots), absl::Seconds(seconds)) << status;
  }
}

TEST_F(HostPaceTest, ALongerRetryAfterWinsAndIsCutToAnHour) {
  Outcome busy = Answer(503);
  busy.retry_after = absl::Seconds(30);
  EXPECT_EQ(PauseAfter(busy), absl::Seconds(30));
  busy.retry_after = absl::Hours(100);
  EXPECT_EQ(PauseAfter(busy), absl::Hours(1));
  Outcome senseless = Answer(429);
  senseless.retry_after = -absl::InfiniteDuration();
  EXPECT_EQ(PauseAfter(senseless), absl::Seconds(8));
}

TEST_F(HostPaceTest, AHostSilentOftenEnoughIsGivenUpForADay) {
  for (int i = 1; i < 6; ++i) Learn(Silence());
  EXPECT_FALSE(pace_.given_up(kEnd));
  Learn(Silence());
  EXPECT_TRUE(pace_.given_up(kEnd + absl::Hours(24) - absl::Seconds(1)));
  EXPECT_FALSE(pace_.given_up(kEnd + absl::Hours(24)));
}

// Three attempts at the robots.txt of each of two closed ports gave up the whole host, with a third
// port that is open.
TEST_F(HostPaceTest, ClosedPortsDoNotGiveUpTheHost) {
  for (int seconds : {2, 4, 8, 16, 32, 64}) {
    EXPECT_EQ(PauseAfter(NoRobots()), absl::Seconds(seconds)) << "it is left alone all the same";
  }
  EXPECT_EQ(pace_.failures, 0);
  EXPECT_FALSE(pace_.given_up(kEnd));
  EXPECT_EQ(PauseAfter(Answer(200)), absl::Seconds(1));
  EXPECT_EQ(pace_.urls_failing, 0);
}

TEST_F(HostPaceTest, SoManyClosedPortsInARowThatTheHostIsInDoubtDoGiveItUp) {
  for (int i = 1; i < 15; ++i) Learn(NoRobots());
  EXPECT_FALSE(pace_.given_up(kEnd));
  Learn(NoRobots());
  EXPECT_TRUE(pace_.given_up(kEnd));
}

TEST_F(HostPaceTest, OnceGivenUpOneMoreFailureIsEnough) {
  for (int i = 0; i < 6; ++i) Learn(Silence());
  const absl::Time next_day = kEnd + absl::Hours(25);
  pace_.Learn(Silence(), true, next_day, limits_);
  EXPECT_TRUE(pace_.given_up(next_day));
}

TEST_F(HostPaceTest, AnyAnswerEndsTheCountOfFailures) {
  for (int i = 0; i < 5; ++i) Learn(Silence());
  Learn(Answer(500));
  EXPECT_EQ(pace_.failures, 0);
  Learn(Silence());
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
  Learn(Answer(200));
  EXPECT_EQ(pace_.next_allowed, kEnd + absl::Minutes(3));
}

TEST_F(HostPaceTest, TimesThatNoOutcomeCouldHaveSetAreCut) {
  pace_.next_allowed = pace_.given_up_until = kEnd + absl::Hours(10'000);
  pace_.CutFutureTimes(kEnd, limits_);
  EXPECT_EQ(pace_.next_allowed, kEnd + absl::Hours(1));
  EXPECT_EQ(pace_.given_up_until, kEnd + absl::Hours(24));
}

TEST_F(HostPaceTest, APlainPauseNeedNotSurviveACrash) {
  Learn(Answer(200));
  EXPECT_FALSE(pace_.OutlastsPause(kEnd, limits_));
  Outcome busy = Answer(200);
  busy.retry_after = absl::Minutes(1);
  Learn(busy);
  EXPECT_TRUE(pace_.OutlastsPause(kEnd, limits_));
  EXPECT_FALSE(pace_.OutlastsPause(kEnd + absl::Minutes(1), limits_));
}

// -------------------------------------------------------------------- failures of URLs

// Five of 206 pages that answered 500 kept the others of their host waiting for 71 s.
TEST_F(HostPaceTest, OneBadUrlDoesNotKeepItsHostWaiting) {
  for (int i = 0; i < 3; ++i) {
    Learn(Answer(200));
    for (const Outcome& failure : {Answer(500), Answer(503), Hang()}) {
      EXPECT_EQ(PauseAfter(failure), absl::Seconds(1));
    }
  }
  EXPECT_EQ(pace_.backoff, absl::ZeroDuration());
  EXPECT_EQ(pace_.failures, 0);
}

TEST_F(HostPaceTest, ManyDifferentUrlsFailingInARowSpeakOfTheHost) {
  for (int i = 1; i < limits_.urls_failing_max; ++i) {
    EXPECT_EQ(PauseAfter(Answer(500)), absl::Seconds(1)) << i;
  }
  EXPECT_FALSE(pace_.in_doubt(limits_));
  EXPECT_EQ(PauseAfter(Answer(500)), absl::Seconds(2));
  EXPECT_TRUE(pace_.in_doubt(limits_));
  EXPECT_EQ(PauseAfter(Answer(500)), absl::Seconds(4));
  EXPECT_EQ(PauseAfter(Answer(200)), absl::Seconds(1));
  EXPECT_EQ(PauseAfter(Answer(500)), absl::Seconds(1));
}

TEST_F(HostPaceTest, TheSameUrlFailingAgainDoesNot) {
  for (int i = 0; i < 100; ++i) Learn(Answer(500), /*first_attempt=*/false);
  EXPECT_FALSE(pace_.in_doubt(limits_));
  EXPECT_EQ(pace_.backoff, absl::ZeroDuration());
}

TEST_F(HostPaceTest, UrlsThatNeverAnswerGiveTheirHostUpOnlyWhenItIsInDoubt) {
  for (int i = 0; i < limits_.urls_failing_max - 1; ++i) Learn(Hang());
  EXPECT_EQ(pace_.failures, 0);
  for (int i = 0; i < limits_.host_failures_max; ++i) Learn(Hang());
  EXPECT_TRUE(pace_.given_up(kEnd));
}

// A site that sets a cookie on each page put its host in doubt.
TEST_F(HostPaceTest, PagesThatAskForTheirCookieAreNoFailures) {
  Outcome gate = Answer(302);
  gate.result = Result::kTransient;
  Learn(Answer(500));
  for (int i = 0; i < limits_.urls_failing_max; ++i) {
    EXPECT_EQ(PauseAfter(gate), absl::Seconds(1));
    EXPECT_EQ(pace_.urls_failing, 0);
  }
  gate.network_failure = true;
  Learn(gate);
  EXPECT_EQ(pace_.urls_failing, 1) << "it broke off";
}

TEST_F(HostPaceTest, AnswersThatBreakOffAreNoGoodOnes) {
  for (int i = 0; i < limits_.urls_failing_max; ++i) Learn(BrokenOff());
  EXPECT_TRUE(pace_.in_doubt(limits_));
  EXPECT_EQ(PauseAfter(BrokenOff()), absl::Seconds(4));
  for (int i = 2; i < limits_.host_failures_max; ++i) Learn(BrokenOff());
  EXPECT_TRUE(pace_.given_up(kEnd));
}

TEST_F(HostPaceTest, AHostWhoseRobotsTxtFailsWaits) {
  Outcome robots = Answer(500);
  robots.result = Result::kPostponed;
  EXPECT_EQ(PauseAfter(robots), absl::Seconds(2));
  EXPECT_EQ(PauseAfter(robots), absl::Seconds(4));
}

TEST_F(HostPaceTest, AUrlWaitsInProportionToItsHostsPause) {
  EXPECT_EQ(pace_.UrlPause(Answer(500), 1, limits_), absl::Seconds(2));
  EXPECT_EQ(pace_.UrlPause(Answer(500), 2, limits_), absl::Seconds(4));
  EXPECT_EQ(pace_.UrlPause(Answer(500), 1000, limits_), absl::Minutes(10));
  pace_.crawl_delay = absl::Seconds(10);
  EXPECT_EQ(pace_.UrlPause(Answer(500), 1, limits_), absl::Seconds(20));
  pace_.crawl_delay = limits_.delay = absl::ZeroDuration();
  EXPECT_EQ(pace_.UrlPause(Answer(500), 1, limits_), absl::Milliseconds(250));
}

TEST_F(HostPaceTest, ARetryAfterThatDoesNotSpeakOfTheHostHoldsForTheUrl) {
  Outcome broken = Answer(500);
  broken.retry_after = absl::Hours(24 * 365);
  EXPECT_EQ(PauseAfter(broken), absl::Seconds(1));
  EXPECT_EQ(pace_.UrlPause(broken, 1, limits_), absl::Hours(1));
}

}  // namespace
}  // namespace opic::schedule
