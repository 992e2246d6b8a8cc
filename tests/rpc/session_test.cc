// A session between a node and the Page Scheduler, within one process and over a port: the same
// rules hold in both places.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <thread>

#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "node/audit_trail.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "rpc/node_client.h"
#include "rpc/schedule_wire.h"
#include "rpc/scheduler_client.h"
#include "rpc/scheduler_service.h"
#include "rpc/server.h"
#include "rpc/time_wire.h"
#include "store/store.h"
#include "tests/support/log_lines.h"
#include "tests/support/memory_store.h"

namespace opic::rpc {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);

PageId Page(uint64_t number) { return PageId(ShardId{1}, number); }
schedule::Offer OfferOf(uint64_t page, const std::string& host) {
  return {Page(page), host, cash::Amount(1)};
}
schedule::Outcome Done(uint64_t page, const std::string& host) {
  schedule::Outcome outcome;
  outcome.page = Page(page);
  outcome.host = host;
  outcome.ended = absl::Now();
  return outcome;
}

// A scheduler and its server, over a store that outlives them.
class SchedulerSite {
 public:
  SchedulerSite(store::Store& store, const std::string& listen) {
    scheduler::Options options;
    options.delay = absl::ZeroDuration();
    auto core = scheduler::Scheduler::Open(options, store, absl::Now());
    EXPECT_TRUE(core.ok()) << core.status();
    service_ = std::make_unique<SchedulerService>(*std::move(core), base::RealClock::Get());
    auto server = Server::Start(listen, {service_->service()});
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  ~SchedulerSite() {
    EXPECT_TRUE(service_->Stop().ok());
    server_->Shutdown();
  }
  SchedulerService& service() { return *service_; }
  Server& server() { return *server_; }

 private:
  std::unique_ptr<SchedulerService> service_;
  std::unique_ptr<Server> server_;
};

// A node of which only the talk is there: says Hello, remembers what it was told.
class TalkingNode {
 public:
  using Opening = std::function<std::unique_ptr<SchedulerSession>(SchedulerCallbacks)>;
  explicit TalkingNode(const Opening& open)
      : session_(open({[this] { OnSession(); },
                       [this](schedule::ToNode message) {
                         absl::MutexLock lock(&mu_);
                         heard_.push_back(std::move(message));
                       }})) {
    session_->Start();
  }
  explicit TalkingNode(std::shared_ptr<grpc::Channel> channel)
      : TalkingNode([&channel](SchedulerCallbacks callbacks) {
          return std::make_unique<SchedulerClient>(std::move(channel), std::move(callbacks));
        }) {}
  ~TalkingNode() { session_->Stop(); }

  void Send(schedule::ToScheduler message) { session_->Send(std::move(message)); }
  bool connected() const { return session_->connected(); }
  SchedulerSession& session() { return *session_; }
  void InFlightAtHello(std::vector<schedule::InFlight> pages) {
    absl::MutexLock lock(&mu_);
    in_flight_ = std::move(pages);
  }
  void ForgetWhatWasHeard() {
    absl::MutexLock lock(&mu_);
    heard_.clear();
  }
  // The first message of the kind that `wanted` accepts.
  template <typename Kind, typename Wanted>
  bool Await(const Wanted& wanted) {
    absl::MutexLock lock(&mu_);
    const auto heard = [&] {
      return std::any_of(heard_.begin(), heard_.end(), [&](const schedule::ToNode& message) {
        const Kind* kind = std::get_if<Kind>(&message);
        return kind != nullptr && wanted(*kind);
      });
    };
    return mu_.AwaitWithTimeout(absl::Condition(&heard), kPatience);
  }
  // So many were opened, or tried.
  bool AwaitSessions(int count) {
    absl::MutexLock lock(&mu_);
    const auto opened = [&] { return sessions_ >= count; };
    return mu_.AwaitWithTimeout(absl::Condition(&opened), kPatience);
  }
  bool AwaitDirective() {
    return Await<schedule::Directive>([](const auto& asked) { return asked.want > 0; });
  }
  bool AwaitOrder(uint64_t page) {
    return Await<schedule::Orders>([&](const schedule::Orders& orders) {
      return std::any_of(orders.orders.begin(), orders.orders.end(),
                         [&](const schedule::Order& order) { return order.page == Page(page); });
    });
  }
  int OrdersOf(uint64_t page) {
    absl::MutexLock lock(&mu_);
    int count = 0;
    for (const schedule::ToNode& message : heard_) {
      const auto* orders = std::get_if<schedule::Orders>(&message);
      if (orders == nullptr) continue;
      for (const schedule::Order& order : orders->orders) count += order.page == Page(page);
    }
    return count;
  }

 private:
  void OnSession() {
    schedule::NodeHello hello{"test", {}, 8};
    {
      absl::MutexLock lock(&mu_);
      ++sessions_;
      hello.in_flight = in_flight_;
    }
    session_->Send(std::move(hello));
  }

  absl::Mutex mu_;
  int sessions_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<schedule::InFlight> in_flight_ ABSL_GUARDED_BY(mu_);
  std::vector<schedule::ToNode> heard_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<SchedulerSession> session_;
};

// A peer that says anything, and hears how its session ends.
class RawSession {
 public:
  explicit RawSession(std::shared_ptr<grpc::Channel> channel)
      : stub_(v1::PageScheduler::NewStub(channel)) {
    context_.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
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
  const auto client = NodeClient::To((*server)->address(), kPatience);
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

// The node's client finds the next scheduler by itself; what is in flight is not ordered again.
TEST(RestartTest, ANodeOpensANewSessionWithTheNextScheduler) {
  const std::unique_ptr<store::Store> store = NewMemoryStore();
  auto site = std::make_unique<SchedulerSite>(*store, "127.0.0.1:0");
  const std::string address = site->server().address();
  TalkingNode node(ChannelTo(address));
  ASSERT_TRUE(node.AwaitDirective());
  node.Send(schedule::Offers{1, {OfferOf(1, "a.test")}, false});
  ASSERT_TRUE(node.AwaitOrder(1));
  node.InFlightAtHello({{Page(1), "a.test"}});
  site.reset();
  node.ForgetWhatWasHeard();
  site = std::make_unique<SchedulerSite>(*store, address);
  ASSERT_TRUE(node.AwaitDirective());
  node.Send(schedule::Offers{1, {OfferOf(1, "a.test"), OfferOf(2, "b.test")}, false});
  EXPECT_TRUE(node.AwaitOrder(2));
  EXPECT_EQ(node.OrdersOf(1), 0);
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
