// opic control budget: what is refused, and whom it asks.
#include <gmock/gmock.h>

#include "cli/exit_code.h"
#include "opic/v1/scheduler.grpc.pb.h"
#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/cli/program_run.h"
#include "tests/rpc/scripted_node.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;

// Takes every budget.
class Scheduler final : public v1::PageScheduler::Service {
 public:
  grpc::Status SetBudget(grpc::ServerContext*, const v1::SetBudgetRequest* request,
                         v1::SetBudgetResponse*) override {
    budgets.push_back(*request);
    return grpc::Status::OK;
  }
  std::vector<v1::SetBudgetRequest> budgets;
};

// Reads each page once until it is told otherwise.
class Planner final : public rpc::ScriptedNode {
 public:
  absl::Status TuneRefresh(const node::RefreshTuning& changes, bool anew) override {
    ++tuned;
    return ScriptedNode::TuneRefresh(changes, anew);
  }
  int tuned = 0;
};

class ControlBudgetTest : public testing::Test {
 protected:
  ControlBudgetTest() { services_.Open(); }
  ~ControlBudgetTest() override {
    services_.Stop();
    server_->Shutdown();
  }
  std::vector<grpc::Service*> Services() {
    std::vector<grpc::Service*> all = services_.services();
    all.push_back(&scheduler_);
    return all;
  }
  Said Budget(std::vector<std::string> words) {
    words.insert(words.begin(), {"control", "budget", "--node", server_->address()});
    return Opic(words);
  }

  Planner node_;
  Scheduler scheduler_;
  rpc::NodeServices services_{node_, {}};
  std::unique_ptr<rpc::Server> server_ = *rpc::Server::Start("127.0.0.1:0", Services());
};

// A negative rate meant that none was given: it was left out without a word.
TEST_F(ControlBudgetTest, RatesThatACrawlRefusesAreRefused) {
  for (const char* rate : {"-5", "nan", "inf", "1e300"}) {
    const Said said = Budget({"--rate", rate, "--delay", "1s"});
    EXPECT_EQ(said.code, kUsage) << rate << ": " << said.error;
    EXPECT_THAT(said.error, HasSubstr("must be from 0 (no limit) to 1,000,000 pages a second"));
  }
  EXPECT_EQ(Budget({}).code, kUsage);
  EXPECT_TRUE(scheduler_.budgets.empty());
}

TEST_F(ControlBudgetTest, WhatIsNotGivenIsLeftAsItIs) {
  ASSERT_EQ(Budget({"--rate", "0"}).code, kOk);
  ASSERT_EQ(Budget({"--delay", "1s"}).code, kOk);
  ASSERT_EQ(scheduler_.budgets.size(), 2u);
  EXPECT_TRUE(scheduler_.budgets[0].has_pages_per_s());
  EXPECT_FALSE(scheduler_.budgets[1].has_pages_per_s());
}

// The audit trail of every other crawl had a refusal that no operator had asked for.
TEST_F(ControlBudgetTest, OnlyANodeThatReadsPagesAgainIsToldToPlan) {
  ASSERT_EQ(Budget({"--rate", "5"}).code, kOk);
  EXPECT_EQ(node_.tuned, 0);
  node_.in_force_.reads_again = true;
  ASSERT_EQ(Budget({"--delay", "1s"}).code, kOk);
  EXPECT_EQ(node_.tuned, 0);
  ASSERT_EQ(Budget({"--rate", "5"}).code, kOk);
  EXPECT_EQ(node_.tuned, 1);
  EXPECT_EQ(node_.tuning_.pages_per_s, 5);
}

}  // namespace
}  // namespace opic::cli
