#include "node/phase.h"

#include <gtest/gtest.h>

namespace opic::node {
namespace {

Progress Fetched() {
  Progress progress;
  progress.fetching_over = true;
  progress.pages = 10;
  return progress;
}

TEST(PhaseTest, WhileAnybodyFetchesItIsCrawling) {
  Progress progress = Fetched();
  progress.fetching_over = false;
  progress.converged = true;
  EXPECT_EQ(PhaseOf(progress), Phase::kCrawling);
}

TEST(PhaseTest, ItSettlesUntilTheRankingHasConverged) {
  Progress progress = Fetched();
  EXPECT_EQ(PhaseOf(progress), Phase::kSettling);
  progress.converged = true;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
}

TEST(PhaseTest, WithoutPagesThereIsNothingToWaitFor) {
  Progress progress = Fetched();
  progress.pages = 0;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
}

TEST(PhaseTest, SettlingMayBeForbiddenOrTakeTooLong) {
  Progress progress = Fetched();
  progress.may_settle = false;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
  progress = Fetched();
  progress.time_over = true;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
}

}  // namespace
}  // namespace opic::node
