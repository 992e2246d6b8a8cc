// A session between a node and the Page Scheduler, within one process and over a port: the same
// rules hold in both places.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "certs/authority.h"
#include "node/audit_trail.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "rpc/node_client.h"
#include "rpc/schedule_wire.h"
#include "rpc/time_wire.h"
#include "tests/rpc/talking_node.h"
#include "tests/support/memory_store.h"

namespace opic::rpc {
namespace {

// A peer that says anything, and hears how its session ends.
class RawSession {
 public:
  explicit RawSession(std::shared_ptr<grpc::Channel> channel)
      : stub_(v1::PageScheduler::NewStub(channel)) {
    context_.set_deadline(absl::ToChronoTime(absl::Now() + kTalkPatience));
    stream_ = stub_->Session(&context_);
  }
  void Say(const std::vector<v1::ToScheduler>& messages) {
    v1::SessionRequest batch;
    for (const v1::ToScheduler& message : messages) *batch.add_messages() = message;
    stream_->Write(batch);
  }
  void SayHello() {
    v1::ToScheduler hello;
    ToWire(schedule::ToScheduler(schedule::NodeHello{"raw", {}, 1}), &hello);
    Say({hello});
  }
  bool Hears() {
    v1::SessionResponse batch;
    return stream_->Read(&batch);
  }
  grpc::StatusCode End() {
    while (Hears()) continue;
    return stream_->Finish().error_code();
  }

 private:
  std::unique_ptr<v1::PageScheduler::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::SessionRequest, v1::SessionResponse>> stream_;
};

enum class Placement { kWithin, kPort };

class SessionTest : public testing::TestWithParam<Placement> {
 protected:
  std::shared_ptr<grpc::Channel> Channel() { return ChannelTo(site_.server().address()); }
  TalkingNode::Opening Opening() {
    return [this](SchedulerCallbacks callbacks) -> std::unique_ptr<SchedulerSession> {
      if (GetParam() == Placement::kWithin) return site_.service().Within(std::move(callbacks));
      return std::make_unique<SchedulerClient>(Channel(), std::move(callbacks));
    };
  }
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  SchedulerSite site_{*store_, "127.0.0.1:0"};
};

TEST_P(SessionTest, AfterHelloTheNodeIsAskedForPages) {
  TalkingNode node(Opening());
  EXPECT_TRUE(node.AwaitDirective());
}

TEST_P(SessionTest, OfferedPagesAreOrderedOnePerHost) {
  TalkingNode node(Opening());
  ASSERT_TRUE(node.AwaitDirective());
  node.Send(schedule::Offers{
      1, {OfferOf(1, "a.test"), OfferOf(2, "b.test"), OfferOf(3, "a.test")}, true});
  EXPECT_TRUE(node.AwaitOrder(1));
  EXPECT_TRUE(node.AwaitOrder(2));
  EXPECT_EQ(node.OrdersOf(3), 0);  // its host is busy until page 1 is answered
  node.Send(Done(1, "a.test"));
  EXPECT_TRUE(node.AwaitOrder(3));
}

TEST_P(SessionTest, AMessageThatCannotBeReadEndsTheSession) {
  RawSession session(Channel());
  session.SayHello();
  ASSERT_TRUE(session.Hears());
  session.Say({v1::ToScheduler()});
  EXPECT_EQ(session.End(), grpc::StatusCode::INVALID_ARGUMENT);
  TalkingNode node(Opening());  // the scheduler serves the next one
  EXPECT_TRUE(node.AwaitDirective());
}

TEST_P(SessionTest, ASecondNodeTakesThePlaceOfTheFirst) {
  RawSession first(Channel());
  first.SayHello();
  ASSERT_TRUE(first.Hears());
  TalkingNode second(Opening());
  EXPECT_TRUE(second.AwaitDirective());
  EXPECT_EQ(first.End(), grpc::StatusCode::ABORTED);
}

TEST_P(SessionTest, WhatIsSaidBeforeHelloIsNoSession) {
  RawSession session(Channel());
  v1::ToScheduler offers;
  ToWire(schedule::ToScheduler(schedule::Offers{1, {OfferOf(1, "a.test")}, false}), &offers);
  session.Say({offers});
  EXPECT_EQ(session.End(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_P(SessionTest, AStoppingSchedulerRefusesNewSessionsAndEnds) {
  RawSession open(Channel());
  open.SayHello();
  ASSERT_TRUE(open.Hears());
  EXPECT_TRUE(site_.service().Stop().ok());
  EXPECT_EQ(open.End(), grpc::StatusCode::UNAVAILABLE);
  RawSession late(Channel());
  EXPECT_EQ(late.End(), grpc::StatusCode::UNAVAILABLE);
}

TEST_P(SessionTest, AnyoneMayAskWhatTheSchedulerDoes) {
  TalkingNode node(Opening());
  ASSERT_TRUE(node.AwaitDirective());
  node.Send(schedule::Offers{1, {OfferOf(1, "a.test")}, true});
  ASSERT_TRUE(node.AwaitOrder(1));
  const auto stub = v1::PageScheduler::NewStub(Channel());
  grpc::ClientContext status_context, host_context;
  v1::PageSchedulerStatusResponse status;
  ASSERT_TRUE(stub->Status(&status_context, v1::PageSchedulerStatusRequest(), &status).ok());
  EXPECT_EQ(status.in_flight(), 1u);
  v1::ExplainHostRequest request;
  request.set_host("a.test");
  v1::ExplainHostResponse reply;
  ASSERT_TRUE(stub->ExplainHost(&host_context, request, &reply).ok());
  EXPECT_TRUE(reply.host().known());
  EXPECT_TRUE(reply.host().in_flight());
}

// As a node asks it for who asks the node.
TEST_P(SessionTest, ANodeAsksWhyAHostWaits) {
  TalkingNode node(Opening());
  ASSERT_TRUE(node.AwaitDirective());
  node.Send(schedule::Offers{1, {OfferOf(1, "a.test"), OfferOf(2, "a.test")}, true});
  ASSERT_TRUE(node.AwaitOrder(1));
  const auto host = node.session().ExplainHost("a.test");
  ASSERT_TRUE(host.ok()) << host.status();
  EXPECT_TRUE(host->known);
  EXPECT_TRUE(host->in_flight);
  EXPECT_EQ(host->queued, 1u);
  EXPECT_FALSE(host->reason.empty());
  EXPECT_FALSE(node.session().ExplainHost("b.test")->known);
  EXPECT_TRUE(site_.service().Stop().ok());
  EXPECT_TRUE(absl::IsUnavailable(node.session().ExplainHost("a.test").status()));
}

TEST_P(SessionTest, ABudgetBelowZeroIsRefused) {
  const auto stub = v1::PageScheduler::NewStub(Channel());
  v1::SetBudgetRequest rate, delay, good;
  rate.set_pages_per_s(-1);
  *delay.mutable_delay() = WireDuration(-absl::Microseconds(1));
  good.set_pages_per_s(5);
  v1::SetBudgetResponse reply;
  grpc::ClientContext contexts[3];
  EXPECT_EQ(stub->SetBudget(&contexts[0], rate, &reply).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(stub->SetBudget(&contexts[1], delay, &reply).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(stub->SetBudget(&contexts[2], good, &reply).ok());
}

// A refusal had no line, and whatever was let in was "OK".
TEST(BudgetTrailTest, TheTrailSaysWhatWasAnswered) {
  const std::string path =
      testing::TempDir() + "/opic_budget_trail_" + std::to_string(getpid()) + ".jsonl";
  std::remove(path.c_str());
  auto trail = node::AuditTrail::Open(path, {}, /*store=*/nullptr);
  ASSERT_TRUE(trail.ok()) << trail.status();
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  auto core = scheduler::Scheduler::Open({}, *store, absl::Now());
  ASSERT_TRUE(core.ok()) << core.status();
  SchedulerService service(*std::move(core), base::RealClock::Get(), {.trail = trail->get()});
  auto server = Server::Start("127.0.0.1:0", {service.service()});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto client = NodeClient::To((*server)->address(), kTalkPatience);
  EXPECT_TRUE(absl::IsInvalidArgument(client->SetBudget(2e6, absl::Seconds(1))));
  EXPECT_TRUE(absl::IsInvalidArgument(client->SetBudget(1, absl::Hours(25))));
  EXPECT_TRUE(client->SetBudget(1, absl::Seconds(1)).ok());
  EXPECT_TRUE(service.Stop().ok());
  (*server)->Shutdown();
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  std::remove(path.c_str());
  ASSERT_EQ(lines.size(), 3u);
  for (const size_t refused : {0u, 1u}) {
    EXPECT_NE(lines[refused].find("\"result\":\"INVALID_ARGUMENT\""), std::string::npos)
        << lines[refused];
    EXPECT_NE(lines[refused].find("the rate must be from 0"), std::string::npos) << lines[refused];
  }
  EXPECT_NE(lines[2].find("\"result\":\"OK\""), std::string::npos) << lines[2];
}

TEST_P(SessionTest, ANewerSessionOfANodeTakesThePlaceOfTheOneBefore) {
  TalkingNode first(Opening());
  ASSERT_TRUE(first.AwaitDirective());
  RawSession second(Channel());
  second.SayHello();
  EXPECT_TRUE(second.Hears());
  if (GetParam() == Placement::kWithin) {
    EXPECT_FALSE(first.connected());
  } else {
    EXPECT_TRUE(first.AwaitSessions(2)) << "it did not hear that its session has ended";
  }
}

// Any certificate of the authority could take the session, and set the budget.
TEST(SchedulerAccessTest, OneNodeHasTheSession) {
  const certs::Authority authority = *certs::Authority::New("a cluster");
  const auto identity = [&](const certs::Holder& holder) {
    const certs::Pair pair = authority.Issue(holder).value();
    return TlsIdentity{authority.pair().certificate, pair.certificate, pair.key};
  };
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  auto core = scheduler::Scheduler::Open({}, *store, absl::Now());
  ASSERT_TRUE(core.ok()) << core.status();
  SchedulerService service(*std::move(core), base::RealClock::Get(),
                           {.gate = Gate(/*certificates=*/true, {"node0"}, {})});
  auto server = Server::Start("127.0.0.1:0", {service.service()},
                              {.tls = identity({"scheduler", {"127.0.0.1"}})});
  ASSERT_TRUE(server.ok()) << server.status();
  const auto channel = [&](const std::string& name) {
    return ChannelTo((*server)->address(), identity({name, {}, false}), "scheduler");
  };
  const auto budget = [&](const std::string& name) {
    grpc::ClientContext context;
    v1::SetBudgetRequest request;
    request.set_pages_per_s(5);
    v1::SetBudgetResponse reply;
    return v1::PageScheduler::NewStub(channel(name))->SetBudget(&context, request, &reply).ok();
  };
  EXPECT_FALSE(budget("somebody"));
  EXPECT_TRUE(budget("node0"));
  EXPECT_TRUE(budget("operator"));
  RawSession own(channel("node0")), other(channel("somebody"));
  other.SayHello();
  EXPECT_EQ(other.End(), grpc::StatusCode::PERMISSION_DENIED);
  own.SayHello();
  EXPECT_TRUE(own.Hears());
  EXPECT_TRUE(service.Stop().ok());
  (*server)->Shutdown();
}

// Many threads send, and each message is heard once.
TEST_P(SessionTest, WhatManyThreadsSendIsAllHeard) {
  TalkingNode node(Opening());
  ASSERT_TRUE(node.AwaitDirective());
  constexpr uint64_t kThreads = 4, kEach = 200;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&node, t] {
      for (uint64_t i = 0; i < kEach; ++i) node.Send(Done(t * kEach + i, "h.test"));
    });
  }
  for (std::thread& thread : threads) thread.join();
  node.Send(schedule::Offers{1, {OfferOf(9'999, "last.test")}, true});
  EXPECT_TRUE(node.AwaitOrder(9'999));
  grpc::ClientContext context;
  v1::PageSchedulerStatusResponse status;
  ASSERT_TRUE(v1::PageScheduler::NewStub(Channel())
                  ->Status(&context, v1::PageSchedulerStatusRequest(), &status)
                  .ok());
  EXPECT_EQ(status.outcomes(), kThreads * kEach);
}

INSTANTIATE_TEST_SUITE_P(Placements, SessionTest,
                         testing::Values(Placement::kWithin, Placement::kPort),
                         [](const auto& info) {
                           return info.param == Placement::kWithin ? "Within" : "Port";
                         });

}  // namespace
}  // namespace opic::rpc
