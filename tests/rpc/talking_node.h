// A Page Scheduler and its server, and a node of which only the talk is there: for tests of
// sessions between the two.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "base/clock.h"
#include "rpc/scheduler_client.h"
#include "rpc/scheduler_service.h"
#include "rpc/server.h"
#include "store/store.h"

namespace opic::rpc {

inline constexpr absl::Duration kTalkPatience = absl::Seconds(20);

inline PageId Page(uint64_t number) { return PageId(ShardId{1}, number); }
inline schedule::Offer OfferOf(uint64_t page, const std::string& host) {
  return {Page(page), host, cash::Amount(1)};
}
inline schedule::Outcome Done(uint64_t page, const std::string& host) {
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
    return mu_.AwaitWithTimeout(absl::Condition(&heard), kTalkPatience);
  }
  // So many were opened, or tried.
  bool AwaitSessions(int count) {
    absl::MutexLock lock(&mu_);
    const auto opened = [&] { return sessions_ >= count; };
    return mu_.AwaitWithTimeout(absl::Condition(&opened), kTalkPatience);
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

}  // namespace opic::rpc
