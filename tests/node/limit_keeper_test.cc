#include "node/limit_keeper.h"

#include <gtest/gtest.h>

#include "tests/desk/order_desk_fixture.h"

namespace opic::node {
namespace {

class LimitKeeperTest : public desk::OrderDeskTest {
 protected:
  LimitKeeper Keeper(const CrawlOptions& options) { return {options, clock_}; }

  base::ManualClock clock_;
};

TEST_F(LimitKeeperTest, WithoutLimitsNothingIsReached) {
  LimitKeeper keeper = Keeper({});
  keeper.Start(desk(), 1'000'000);
  clock_.Advance(absl::Hours(24) * 1000);
  EXPECT_FALSE(keeper.Reached());
}

TEST_F(LimitKeeperTest, PagesThatWereAnsweredBeforeCount) {
  CrawlOptions options;
  options.pages_max = 5;
  LimitKeeper keeper = Keeper(options);
  keeper.Start(desk(), 5);
  EXPECT_TRUE(keeper.Reached());
  EXPECT_FALSE(keeper.TimeIsOver());
  keeper.Set({.pages = 6, .in_flight = 3});
  EXPECT_FALSE(keeper.Reached());
  EXPECT_EQ(keeper.limits().in_flight, 3u);
}

TEST_F(LimitKeeperTest, WhatIsSetBeforeTheStartHoldsFromThen) {
  LimitKeeper keeper = Keeper({});
  keeper.Set({.pages = 7, .in_flight = 2});
  keeper.Start(desk(), 7);
  EXPECT_TRUE(keeper.Reached());
}

TEST_F(LimitKeeperTest, WhenTheTimeIsOverNothingIsAskedForAndTheRestIsEndedAfterAWhile) {
  CrawlOptions options;
  options.time_max = absl::Seconds(60);
  options.stop_patience = absl::Seconds(5);
  LimitKeeper keeper = Keeper(options);
  keeper.Start(desk(), 0);
  KnowRobots();
  Serve("/page", {.then = desk::HttpReply::Then::kSilence});
  const schedule::Order order = OrderOf(kPage), next = OrderOf("http://a.test/next");
  desk().Take({order});
  ASSERT_TRUE(server_.AwaitRequests(1));
  clock_.Advance(absl::Seconds(59));
  keeper.HoldToTime();
  EXPECT_FALSE(keeper.Reached());

  clock_.Advance(absl::Seconds(1));
  keeper.HoldToTime();
  EXPECT_TRUE(keeper.Reached());
  desk().Take({next});
  EXPECT_EQ(heard_.TakeOutcome().page, next.page) << "postponed";
  EXPECT_EQ(desk().in_flight(), 1u);

  clock_.Advance(absl::Seconds(5));
  keeper.HoldToTime();
  const schedule::Outcome ended = heard_.TakeOutcome();
  EXPECT_EQ(ended.page, order.page);
  EXPECT_EQ(ended.result, schedule::Result::kPostponed);
  EXPECT_EQ(desk().in_flight(), 0u);
}

}  // namespace
}  // namespace opic::node
