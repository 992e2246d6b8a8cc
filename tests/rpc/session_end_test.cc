// Sessions whose scheduler ends, and may begin anew.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "absl/synchronization/notification.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "tests/rpc/talking_node.h"
#include "tests/support/log_lines.h"
#include "tests/support/memory_store.h"
#include "tests/support/sleeping_thread.h"

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

// Reads what a node says, and does nothing of it; ends when it is told a capacity.
class DeafScheduler final : public v1::PageScheduler::Service {
 public:
  using Stream = grpc::ServerReaderWriter<v1::SessionResponse, v1::SessionRequest>;
  grpc::Status Session(grpc::ServerContext*, Stream* stream) override {
    v1::SessionRequest batch;
    while (stream->Read(&batch)) {
      for (const v1::ToScheduler& message : batch.messages()) {
        if (message.has_outcome() && !read_outcome.HasBeenNotified()) read_outcome.Notify();
        if (!message.has_capacity()) continue;
        ended.Notify();
        return grpc::Status(grpc::StatusCode::UNAVAILABLE, "it has heard nothing");
      }
    }
    return grpc::Status::OK;
  }
  absl::Notification read_outcome, ended;
};

// A node whose scheduler ends with an outcome that was written to it.
class UnheardTest : public testing::Test {
 protected:
  // And the next one begins.
  void TellInVain(const schedule::Outcome& outcome) {
    node_.Send(outcome);
    ASSERT_TRUE(deaf_.read_outcome.WaitForNotificationWithTimeout(kTalkPatience));
    node_.Send(schedule::Capacity{8});  // is written when the client knows that the outcome was
    ASSERT_TRUE(deaf_.ended.WaitForNotificationWithTimeout(kTalkPatience));
    const std::string address = server_->address();
    server_->Shutdown();
    server_.reset();
    site_ = std::make_unique<SchedulerSite>(*store_, address);
    ASSERT_TRUE(node_.AwaitDirective());
  }
  schedule::HostExplanation Explain(const std::string& host) {
    const auto explanation = node_.session().ExplainHost(host);
    EXPECT_TRUE(explanation.ok()) << explanation.status();
    return explanation.value_or(schedule::HostExplanation());
  }

  const std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<SchedulerSite> site_;
  DeafScheduler deaf_;
  std::unique_ptr<Server> server_ = Server::Start("127.0.0.1:0", {&deaf_}).value();
  TalkingNode node_{ChannelTo(server_->address())};
};

// Written is not handled. A failure that was handled would be counted twice.
TEST_F(UnheardTest, WhatAHostAsksForIsToldAgainAndItsFailuresAreNot) {
  schedule::Outcome failed = Done(1, "a.test");
  failed.result = schedule::Result::kTransient;
  failed.network_failure = true;
  failed.retry_after = absl::Minutes(10);
  failed.crawl_delay = absl::Seconds(30);
  TellInVain(failed);
  const schedule::HostExplanation host = Explain("a.test");
  EXPECT_EQ(host.delay, absl::Seconds(30));
  EXPECT_GT(host.next_allowed, absl::Now() + absl::Minutes(9));
  EXPECT_EQ(host.failures, 0);
}

TEST_F(UnheardTest, AnOrderThatCameAgainIsNotEndedByIt) {
  ASSERT_TRUE(node_.AwaitSessions(1));
  node_.InFlightAtHello({{Page(1), "a.test"}});
  schedule::Outcome robots = Done(1, "a.test");
  robots.result = schedule::Result::kPostponed;
  robots.requested = true;
  robots.crawl_delay = absl::ZeroDuration();
  TellInVain(robots);
  EXPECT_TRUE(Explain("a.test").in_flight);
  EXPECT_EQ(node_.OrdersOf(1), 0);
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

// It was lost: the host was then asked at the pace of others until its robots.txt was read again.
TEST(WithinTest, WhatComesBehindTheStopIsSavedToo) {
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  SchedulerSite site(*store, "127.0.0.1:0");
  absl::Notification asked, may_go_on;
  std::unique_ptr<SchedulerSession> session;
  const auto hear = [&](const schedule::ToNode& message) {  // on the scheduler's thread
    if (std::holds_alternative<schedule::Directive>(message) && !asked.HasBeenNotified()) {
      asked.Notify();
      may_go_on.WaitForNotification();
    } else if (std::holds_alternative<schedule::Orders>(message)) {
      schedule::Outcome robots = Done(1, "a.test");
      robots.requested = true;
      robots.crawl_delay = absl::Seconds(30);
      session->Send(robots);
    }
  };
  const auto greet = [&session] { session->Send(schedule::NodeHello{"test", {}, 8}); };
  session = site.service().Within({greet, hear});
  session->Start();
  asked.WaitForNotification();
  // In one turn, the last: the page is offered, the stop is asked for, the order is given.
  session->Send(schedule::Offers{1, {OfferOf(1, "a.test")}, true});
  support::SleepingThread stop([&site] { EXPECT_TRUE(site.service().Stop().ok()); });
  EXPECT_TRUE(stop.AwaitSleep()) << "it is asked for, and waited for";
  may_go_on.Notify();
  stop.Join();
  session->Stop();
  const auto next = scheduler::Scheduler::Open({}, *store, absl::Now());
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ((*next)->Explain("a.test", absl::Now()).delay, absl::Seconds(30));
}

}  // namespace
}  // namespace opic::rpc
