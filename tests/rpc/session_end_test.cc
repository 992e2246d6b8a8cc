// Sessions whose scheduler ends, and may begin anew.
#include <gtest/gtest.h>

#include "tests/rpc/talking_node.h"
#include "tests/support/log_lines.h"
#include "tests/support/memory_store.h"

namespace opic::rpc {
namespace {

// A node and its scheduler, which gives the order for a page of a.test and ends.
class OrderedTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(node_.AwaitDirective());
    node_.Send(schedule::Offers{1, {OfferOf(1, "a.test")}, false});
    ASSERT_TRUE(node_.AwaitOrder(1));
  }
  void Begin() {
    node_.ForgetWhatWasHeard();
    site_ = std::make_unique<SchedulerSite>(*store_, address_);
    ASSERT_TRUE(node_.AwaitDirective());
  }

  const std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<SchedulerSite> site_ = std::make_unique<SchedulerSite>(*store_, "127.0.0.1:0");
  const std::string address_ = site_->server().address();
  TalkingNode node_{ChannelTo(address_)};
};

// The node's client finds the next scheduler by itself; what is in flight is not ordered again.
TEST_F(OrderedTest, ANodeOpensANewSessionWithTheNextScheduler) {
  node_.InFlightAtHello({{Page(1), "a.test"}});
  site_.reset();
  Begin();
  node_.Send(schedule::Offers{1, {OfferOf(1, "a.test"), OfferOf(2, "b.test")}, false});
  EXPECT_TRUE(node_.AwaitOrder(2));
  EXPECT_EQ(node_.OrdersOf(1), 0);
}

// A host that asks for ten minutes is not asked before, though nobody was there to hear it.
TEST_F(OrderedTest, WhatEndsBetweenTwoSessionsIsToldInTheNext) {
  site_.reset();
  ASSERT_TRUE(node_.AwaitSessions(2));
  schedule::Outcome busy = Done(1, "a.test");
  busy.result = schedule::Result::kTransient;
  busy.requested = true;
  busy.status = 503;
  busy.retry_after = absl::Minutes(10);
  node_.Send(busy);
  Begin();
  node_.Send(schedule::Offers{1, {OfferOf(2, "a.test"), OfferOf(3, "b.test")}, false});
  ASSERT_TRUE(node_.AwaitOrder(3));
  EXPECT_EQ(node_.OrdersOf(2), 0);
  const auto host = node_.session().ExplainHost("a.test");
  ASSERT_TRUE(host.ok()) << host.status();
  EXPECT_GT(host->next_allowed, absl::Now() + absl::Minutes(9));
}

// It was told at each try, every five seconds.
TEST(RestartTest, ASchedulerThatIsAwayIsToldOnce) {
  const support::LogLines log;
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  auto site = std::make_unique<SchedulerSite>(*store, "127.0.0.1:0");
  const std::string address = site->server().address();
  site.reset();
  TalkingNode node(ChannelTo(address));
  ASSERT_TRUE(node.AwaitSessions(4));
  EXPECT_EQ(log.With("the scheduler does not answer"), 1);
  site = std::make_unique<SchedulerSite>(*store, address);
  ASSERT_TRUE(node.AwaitDirective());
  ASSERT_TRUE(log.Await("the scheduler is there again"));
  site.reset();
  ASSERT_TRUE(log.Await("the session with the scheduler has ended"));
  EXPECT_EQ(log.With("the scheduler does not answer"), 1);
}

// A node may outlive its scheduler within the process, as when starting fails halfway.
TEST(WithinTest, ASessionMayEndAfterItsScheduler) {
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  SchedulerSite site(*store, "127.0.0.1:0");
  TalkingNode node([&site](SchedulerCallbacks callbacks) {
    return site.service().Within(std::move(callbacks));
  });
  ASSERT_TRUE(node.AwaitDirective());
  EXPECT_TRUE(node.connected());
  EXPECT_TRUE(site.service().Stop().ok());
  EXPECT_FALSE(node.connected());
  node.Send(Done(1, "a.test"));  // to nobody
}

}  // namespace
}  // namespace opic::rpc
