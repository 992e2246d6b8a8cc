#include "rpc/restating_watch.h"

#include <gtest/gtest.h>

#include <atomic>

#include "absl/time/clock.h"
#include "node/running_node.h"

namespace opic::rpc {
namespace {

// A lone node that has one page whose cash is off.
class LoneNode final : public node::RestatingSteps {
 public:
  absl::StatusOr<node::NodeStats> Stats() override {
    ++looks;
    node::NodeStats stats;
    stats.loop.rounding_error = error;
    stats.loop.error_bound = bound;
    stats.loop.phase = phase;
    stats.loop.pages = 100;
    stats.loop.restate_due = due;
    return stats;
  }
  absl::Status PrepareRestating(uint64_t) override {
    ++begun;
    return fails ? absl::UnavailableError("it is away") : absl::OkStatus();
  }
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t) override { return absl::InternalError("alone"); }
  absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t, NodeId, uint64_t) override {
    return absl::InternalError("alone");
  }
  absl::Status AddClaims(uint64_t, NodeId, uint64_t, absl::Span<const ledger::Drift>) override {
    return absl::InternalError("alone");
  }
  absl::StatusOr<node::RestatedPart> EndRestating(const node::RestatementEnd& end) override {
    while (held) absl::SleepFor(absl::Milliseconds(1));
    if (end.correct) {
      ++corrected;
      looks_before_correction = looks.load();
      error = left.load();
    }
    return node::RestatedPart{.pages = 1, .off = 1, .flow = 1, .done = true};
  }

  std::atomic<double> error = 0, bound = 0.01;
  std::atomic<double> left = 0;  // of the error, once it was corrected
  std::atomic<bool> held = false;
  std::atomic<node::Phase> phase = node::Phase::kSettling;
  std::atomic<bool> due = false, fails = false;
  std::atomic<int> looks = 0, begun = 0, corrected = 0, looks_before_correction = 0;
};

class RestatingWatchTest : public testing::Test {
 protected:
  RestatingWatchTest() { watch_.Start(); }
  void Await(const std::atomic<int>& count, int least) {
    while (count < least) absl::SleepFor(absl::Milliseconds(1));
  }
  std::shared_ptr<LoneNode> node_ = std::make_shared<LoneNode>();
  RestatingWatch watch_{{node_}, {.look = absl::Milliseconds(1), .pause = absl::Milliseconds(1)}};
};

TEST_F(RestatingWatchTest, RestatesWhenRoundingAsksForIt) {
  Await(node_->looks, 3);
  EXPECT_EQ(node_->begun, 0) << "nothing is off";
  node_->error = 0.03;
  Await(node_->corrected, 1);
  const int looks = node_->looks;
  Await(node_->looks, looks + 3);
  EXPECT_EQ(node_->corrected, 1) << "again, with nothing off";
}

TEST_F(RestatingWatchTest, LeavesALossToTheOperator) {
  node_->due = true;
  node_->error = 0.03;
  const int looks = node_->looks;
  Await(node_->looks, looks + 5);
  EXPECT_EQ(node_->corrected, 0);
}

TEST_F(RestatingWatchTest, TriesAgainLater) {
  node_->fails = true;
  node_->error = 0.03;
  Await(node_->begun, 2);
  EXPECT_EQ(node_->corrected, 0);
  node_->fails = false;
  Await(node_->corrected, 1);
}

// Unread pages are rounded again by their very correction.
TEST_F(RestatingWatchTest, WhatACorrectionLeavesAsksForNone) {
  node_->left = 0.03;
  node_->error = 0.03;
  Await(node_->corrected, 1);
  const int looks = node_->looks;
  Await(node_->looks, looks + 5);
  EXPECT_EQ(node_->corrected, 1);
  node_->error = 0.051;
  Await(node_->corrected, 2);
}

// Looks when it is told to, and then alone.
class RestatingWatchAtTheEndTest : public testing::Test {
 protected:
  RestatingWatchAtTheEndTest() {
    node_->phase = node::Phase::kFinished;
    node_->error = 0.0011;
  }
  static void AwaitLook(RestatingWatch& watch) {
    while (!watch.MayFinish(true)) absl::SleepFor(absl::Milliseconds(1));
  }
  // Whether a look corrects.
  bool Corrects(const RestatedNodes& nodes, uint64_t pages_max) {
    const int before = node_->corrected;
    RestatingWatch watch(nodes, {.finished_pages_max = pages_max, .look = absl::Hours(1)});
    EXPECT_TRUE(watch.MayFinish(true)) << "nobody will look";
    watch.Start();
    AwaitLook(watch);
    return node_->corrected > before;
  }
  bool Corrects(uint64_t pages_max) { return Corrects({node_}, pages_max); }
  std::shared_ptr<LoneNode> node_ = std::make_shared<LoneNode>();
};

TEST_F(RestatingWatchAtTheEndTest, LittleRoundingIsCorrectedOnce) {
  EXPECT_TRUE(Corrects(100));
  EXPECT_FALSE(Corrects(100));
}

TEST_F(RestatingWatchAtTheEndTest, ACrawlThatGoesOnWaits) {
  node_->phase = node::Phase::kSettling;
  EXPECT_FALSE(Corrects(100));
}

TEST_F(RestatingWatchAtTheEndTest, ACrawlThatHasNotConvergedIsLeftAsItIs) {
  node_->bound = 0.011;
  EXPECT_FALSE(Corrects(100));
}

TEST_F(RestatingWatchAtTheEndTest, MorePagesThanAllowedAreLeftAsTheyAre) {
  EXPECT_FALSE(Corrects(99));
  node_->error = 0.03;
  EXPECT_TRUE(Corrects(99)) << "this much is corrected at any time";
}

// Each node has an entry for every page of the cluster that its links lead to.
TEST_F(RestatingWatchAtTheEndTest, PagesOfAllNodesCount) {
  EXPECT_FALSE(Corrects({node_, std::make_shared<LoneNode>()}, 199));
  EXPECT_EQ(node_->begun, 0);
}

TEST_F(RestatingWatchAtTheEndTest, AFailureIsNoCorrection) {
  node_->fails = true;
  EXPECT_FALSE(Corrects(100));
  EXPECT_EQ(node_->begun, 1);
}

// The crawl ended while it was being restated: what that has corrected is to be settled.
TEST_F(RestatingWatchAtTheEndTest, AnAttemptThatIsUnderWayIsWaitedFor) {
  node_->held = true;
  RestatingWatch watch({node_}, {.finished_pages_max = 100, .look = absl::Milliseconds(1)});
  watch.Start();
  while (node_->begun == 0) absl::SleepFor(absl::Milliseconds(1));
  const int looks = node_->looks;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(watch.MayFinish(true));
    absl::SleepFor(absl::Milliseconds(1));
  }
  node_->held = false;
  AwaitLook(watch);
  EXPECT_EQ(node_->corrected, 1);
  EXPECT_GT(node_->looks, looks);
}

// Pages were read after the cut: that look says nothing of them.
TEST_F(RestatingWatchAtTheEndTest, ACrawlThatWentOnMeanwhileIsLookedAtOnceMore) {
  node_->held = true;
  RestatingWatch watch({node_}, {.finished_pages_max = 100, .look = absl::Hours(1)});
  watch.Start();
  EXPECT_FALSE(watch.MayFinish(true));
  while (node_->begun == 0) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_FALSE(watch.MayFinish(false));
  EXPECT_FALSE(watch.MayFinish(true));
  node_->held = false;
  AwaitLook(watch);
  EXPECT_GE(node_->looks, node_->looks_before_correction + 2) << "once for what is left";
}

TEST_F(RestatingWatchAtTheEndTest, WhatFailsIsNotTriedAgainAtOnce) {
  node_->fails = true;
  RestatingWatch watch({node_}, {.finished_pages_max = 100, .look = absl::Hours(1)});
  watch.Start();
  AwaitLook(watch);
  EXPECT_FALSE(watch.MayFinish(false));
  AwaitLook(watch);
  EXPECT_EQ(node_->begun, 1);
}

TEST_F(RestatingWatchAtTheEndTest, ACrawlThatGoesOnIsLookedAtOnceMore) {
  RestatingWatch watch({node_}, {.finished_pages_max = 100, .look = absl::Hours(1)});
  watch.Start();
  AwaitLook(watch);
  EXPECT_FALSE(watch.MayFinish(false));
  node_->error = 0.002;
  AwaitLook(watch);
  EXPECT_EQ(node_->corrected, 2);
}

}  // namespace
}  // namespace opic::rpc
