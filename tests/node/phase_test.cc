#include "node/phase.h"

#include <gtest/gtest.h>

namespace opic::node {
namespace {

// A crawl whose last fetch was at clock 100, with a window of 50.
Progress Fetched(cash::Sum clock) {
  Progress progress;
  progress.fetching_over = true;
  progress.pages = 10;
  progress.fetch_clock = 100;
  progress.window = 50;
  progress.clock = clock;
  return progress;
}

TEST(PhaseTest, WhileAnybodyFetchesItIsCrawling) {
  Progress progress = Fetched(1'000);
  progress.fetching_over = false;
  EXPECT_EQ(PhaseOf(progress), Phase::kCrawling);
}

TEST(PhaseTest, ItSettlesUntilTheClockHasGrownByTheWindow) {
  EXPECT_EQ(PhaseOf(Fetched(149)), Phase::kSettling);
  EXPECT_EQ(PhaseOf(Fetched(150)), Phase::kFinished);
}

TEST(PhaseTest, ALaterOriginIsSettledFrom) {
  Progress progress = Fetched(150);
  progress.origin = 120;
  EXPECT_EQ(PhaseOf(progress), Phase::kSettling);
}

// A peer fetched at a clock that the news of others have not brought here yet.
TEST(PhaseTest, AClockBehindThePeersIsNotFinished) {
  EXPECT_EQ(PhaseOf(Fetched(99)), Phase::kSettling);
  EXPECT_EQ(PhaseOf(Fetched(0)), Phase::kSettling);
}

TEST(PhaseTest, BehindALimitNothingIsSettled) {
  Progress progress = Fetched(120);
  progress.unread = 1;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
}

TEST(PhaseTest, WithoutPagesThereIsNothingToWaitFor) {
  Progress progress = Fetched(100);
  progress.pages = 0;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
}

TEST(PhaseTest, SettlingMayBeForbiddenOrTakeTooLong) {
  Progress progress = Fetched(120);
  progress.may_settle = false;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
  progress = Fetched(120);
  progress.time_over = true;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
}

}  // namespace
}  // namespace opic::node
