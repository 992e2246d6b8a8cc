#include "node/phase.h"

#include <gtest/gtest.h>

namespace opic::node {
namespace {

PhaseInputs Fetched() {
  PhaseInputs progress;
  progress.fetching_over = true;
  progress.pages = 10;
  return progress;
}

TEST(PhaseTest, WhileAnybodyFetchesItIsCrawling) {
  PhaseInputs progress = Fetched();
  progress.fetching_over = false;
  progress.converged = true;
  EXPECT_EQ(PhaseOf(progress), Phase::kCrawling);
}

TEST(PhaseTest, ItSettlesUntilTheRankingHasConverged) {
  PhaseInputs progress = Fetched();
  EXPECT_EQ(PhaseOf(progress), Phase::kSettling);
  progress.converged = true;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
}

TEST(PhaseTest, WithoutPagesThereIsNothingToWaitFor) {
  PhaseInputs progress = Fetched();
  progress.pages = 0;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
}

TEST(PhaseTest, SettlingMayBeForbiddenOrTakeTooLong) {
  PhaseInputs progress = Fetched();
  progress.may_settle = false;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
  progress = Fetched();
  progress.time_over = true;
  EXPECT_EQ(PhaseOf(progress), Phase::kFinished);
}

}  // namespace
}  // namespace opic::node
