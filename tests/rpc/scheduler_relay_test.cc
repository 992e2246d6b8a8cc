// A node whose Page Scheduler is a process of its own passes its calls on.
#include "rpc/scheduler_relay.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>

#include "base/clock.h"
#include "rpc/node_client.h"
#include "rpc/scheduler_service.h"
#include "rpc/server.h"
#include "store/store.h"
#include "tests/support/memory_store.h"

namespace opic::rpc {
namespace {

constexpr char kReader[] = "reader-token-of-this-test";
constexpr char kOperator[] = "operator-token-of-this-test";

class SchedulerRelayTest : public testing::Test {
 protected:
  SchedulerRelayTest() {
    scheduler_ = *scheduler::Scheduler::Open({}, *store_, absl::Now());
    trail_ = *node::AuditTrail::Open(trail_path_, {}, /*store=*/nullptr);
    service_ = std::make_unique<SchedulerService>(std::move(scheduler_), base::RealClock::Get());
    beside_ = *Server::Start("127.0.0.1:0", {service_->service()});
    relay_ = std::make_unique<SchedulerRelay>(
        ChannelTo(beside_->address()),
        Gate(/*certificates=*/false, {}, {{kReader, Role::kReader}, {kOperator, Role::kOperator}}),
        trail_.get());
    node_ = *Server::Start("127.0.0.1:0", {relay_->service()});
  }
  ~SchedulerRelayTest() override {
    node_->Shutdown();
    EndScheduler();
    std::remove(trail_path_.c_str());
  }

  void EndScheduler() {
    EXPECT_TRUE(service_->Stop().ok());
    beside_->Shutdown();
  }
  std::unique_ptr<NodeClient> As(const std::string& token) const {
    return NodeClient::To(node_->address(),
                          NodeClientOptions{.patience = absl::Seconds(20), .token = token});
  }

  const std::string trail_path_ =
      testing::TempDir() + "/opic_relay_trail_" + std::to_string(getpid()) + ".jsonl";
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::unique_ptr<node::AuditTrail> trail_;
  std::unique_ptr<SchedulerService> service_;
  std::unique_ptr<Server> beside_, node_;
  std::unique_ptr<SchedulerRelay> relay_;
};

TEST_F(SchedulerRelayTest, ABudgetReachesTheSchedulerAndIsNoted) {
  EXPECT_TRUE(As(kOperator)->SetBudget(7, absl::Seconds(3)).ok());
  const absl::StatusOr<scheduler::SchedulerStatus> status = As(kReader)->SchedulerStatus();
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_EQ(status->pages_per_s_max, 7);
  EXPECT_EQ(status->delay, absl::Seconds(3));
  EXPECT_TRUE(As(kReader)->ExplainWaiting().ok());
  std::ifstream file(trail_path_);
  const std::string noted{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(noted, testing::HasSubstr("SetBudget"));
  EXPECT_THAT(noted, testing::HasSubstr("\"result\":\"OK\""));
}

TEST_F(SchedulerRelayTest, TheNodeDecidesWhoMayAsk) {
  EXPECT_TRUE(absl::IsPermissionDenied(As(kReader)->SetBudget(7, absl::Seconds(3))));
  EXPECT_TRUE(absl::IsPermissionDenied(As("")->SchedulerStatus().status()));
  EXPECT_EQ(As(kReader)->SchedulerStatus()->pages_per_s_max, 0);
}

TEST_F(SchedulerRelayTest, WhatTheSchedulerRefusesIsRefused) {
  const absl::Status refused = As(kOperator)->SetBudget(2e6, absl::Seconds(1));
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(refused.message(), testing::HasSubstr("the rate must be from 0"));
}

TEST_F(SchedulerRelayTest, ASchedulerThatIsGoneIsNamed) {
  EndScheduler();
  const absl::Status status = As(kOperator)->SetBudget(7, absl::Seconds(3));
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(status.message(), testing::HasSubstr("asking the Page Scheduler"));
}

}  // namespace
}  // namespace opic::rpc
