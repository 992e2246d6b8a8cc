// What a node's plan has of the cluster's rate.
#include "tests/node/refresh_plan_fixture.h"

namespace opic::node {
namespace {

using schedule::RefreshDemand;

class SharedRateTest : public RefreshPlanTest {
 protected:
  SharedRateTest() { options_.share = 1; }
  // All pages are read, and counted.
  void Begin() {
    Open(options_);
    ReadAll();
  }
  // Several exchanges with a peer that would read this much, whatever the multiplier.
  void TalkTo(double rate, double planned) {
    RefreshDemand peer;
    peer.rate = rate;
    peer.least = peer.most = planned;
    peer.planned.fill(planned);
    for (int round = 0; round < 5; ++round) {
      peer.first = plan_->ShareRate(true, {peer}).first;
      plan_->ShareRate(true, {peer});
    }
  }

  RefreshOptions options_{.pages_per_s = 0.02, .shortest = absl::Minutes(10)};
};

TEST_F(SharedRateTest, WhatAPeerDoesNotNeedIsBorrowed) {
  Begin();
  TalkTo(/*rate=*/0.03, /*planned=*/0.02);
  EXPECT_NEAR(plan_->stats().borrowed, 0.01, 1e-6);
  EXPECT_NEAR(plan_->stats().bandwidth, 0.03, 1e-6);
  EXPECT_NEAR(plan_->stats().planned_rate, 0.03, 1e-4);
  EXPECT_NEAR(plan_->rate_factor(), 1.5, 1e-4);
}

TEST_F(SharedRateTest, WhatAPeerNeedsMoreIsLent) {
  Begin();
  TalkTo(/*rate=*/0.01, /*planned=*/0.025);
  EXPECT_NEAR(plan_->stats().borrowed, -0.015, 1e-6);
  EXPECT_NEAR(plan_->stats().planned_rate, 0.005, 1e-4);
  EXPECT_NEAR(plan_->rate_factor(), 0.25, 1e-4);
  // The rest of its rate is kept, however much others want.
  TalkTo(/*rate=*/0.0001, /*planned=*/10);
  EXPECT_GE(plan_->rate_factor(), 1.0 / 64);
}

TEST_F(SharedRateTest, ANodeThatFetchesNothingSharesNothing) {
  Begin();
  TalkTo(0.03, 0.02);
  EXPECT_EQ(plan_->ShareRate(/*can_fetch=*/false, {}), RefreshDemand{});
  EXPECT_EQ(plan_->stats().borrowed, 0);
  EXPECT_EQ(plan_->rate_factor(), 1);
}

TEST_F(SharedRateTest, APlanThatIsNotCountedSharesNothing) {
  Begin();
  Open(options_);
  ASSERT_TRUE(plan_->stats().counting);
  EXPECT_EQ(plan_->ShareRate(true, {}), RefreshDemand{});
}

TEST_F(SharedRateTest, WithoutPeersTheOwnRateHolds) {
  Begin();
  for (int round = 0; round < 5; ++round) plan_->ShareRate(true, {});
  EXPECT_EQ(plan_->stats().borrowed, 0);
  TalkTo(0.03, 0.02);
  plan_->ShareRate(true, {});
  EXPECT_NEAR(plan_->stats().borrowed, 0, 1e-9) << "the peer has gone";
}

// It asks for more than it has told.
TEST_F(SharedRateTest, APlanThatGrowsSharesNothing) {
  Open(options_);
  for (int page = 0; page < pages() / 2; ++page) Turn({Reading(page)});
  TalkTo(0.03, 0.02);
  ASSERT_NE(plan_->stats().borrowed, 0);
  for (int page = pages() / 2; page < pages(); ++page) Turn({Reading(page)});
  EXPECT_EQ(plan_->ShareRate(true, {}), RefreshDemand{});
  EXPECT_EQ(plan_->stats().borrowed, 0);
  TalkTo(0.03, 0.02);
  EXPECT_NEAR(plan_->stats().borrowed, 0.01, 1e-6) << "it is steady";
}

// Pages that are new to the plan of a node that lends nearly all: not at the floor, but as they
// would be on any other node.
TEST_F(SharedRateTest, ANewPageHasTheFrequencyThatAllHave) {
  Open(options_);
  constexpr int kFew = 10;
  for (int page = 0; page < kFew; ++page) Turn({Reading(page)});
  const auto pause = [&](int page) { return PlanOf(page).due - absl::ToUnixSeconds(now_); };
  RefreshDemand peer;  // with a thousand pages of the kind
  peer.rate = 2;
  for (int round = 0; round < 20; ++round) {
    const RefreshDemand& own = plan_->ShareRate(true, {peer});
    peer.first = own.first, peer.least = 0.1 * own.least, peer.most = 1000 * own.most;
    for (size_t i = 0; i < own.planned.size(); ++i) peer.planned[i] = 1000 * own.planned[i];
  }
  ASSERT_LT(plan_->stats().borrowed, -0.015);
  for (int page = kFew; page < pages() / 2; ++page) Turn({Reading(page)});
  const int last = pages() / 2 - 1;
  EXPECT_GT(pause(last), pause(kFew) / 5);
  EXPECT_LT(pause(last), pause(kFew) * 5);
}

// All pages are at their caps until the rate is lowered: the multiplier falls from infinity.
TEST_F(SharedRateTest, ADistantMultiplierIsToldSoon) {
  options_.pages_per_s = 2;
  Begin();
  for (int round = 0; round < 3; ++round) plan_->ShareRate(true, {});
  ASSERT_TRUE(plan_->Tune({.pages_per_s = 0.02}, now_).ok());
  for (int round = 0; round < 3; ++round) plan_->ShareRate(true, {});
  const RefreshDemand& told = plan_->ShareRate(true, {});
  EXPECT_LT(told.planned.front(), 0.02);
  EXPECT_GT(told.planned.back(), 0.02);
  EXPECT_NEAR(plan_->stats().planned_rate, 0.02, 1e-4);
}

// Discovery's part is not shared.
TEST_F(SharedRateTest, DiscoveryKeepsItsPart) {
  options_.share = 0.5;
  Open(options_);
  for (int page = 0; page < pages() / 2; ++page) Turn({Reading(page)});
  TalkTo(/*rate=*/0.03, /*planned=*/0.02);
  EXPECT_NEAR(plan_->stats().borrowed, 0.01, 1e-6);
  EXPECT_NEAR(plan_->share(), 0.02 / 0.03, 1e-4);
  TalkTo(/*rate=*/0.01, /*planned=*/0.2);
  EXPECT_LT(plan_->share(), 0.2);
  EXPECT_GE(plan_->rate_factor(), 0.5);
}

}  // namespace
}  // namespace opic::node
