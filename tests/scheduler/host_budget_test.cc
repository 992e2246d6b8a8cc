// Hosts that the node says are past their budgets.
#include <gtest/gtest.h>

#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

class HostBudgetTest : public ::testing::Test {
 protected:
  void SetUp() override { node_.Hello(4); }
  void OverBudget(uint64_t page) {
    node_.Say(page, {.result = schedule::Result::kPostponed,
                     .address_busy = true,
                     .over_budget = "9 of 9 pages of a"});
  }
  void TellRules() { node_.scheduler().Handle(schedule::Rules{}, node_.now); }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
};

TEST_F(HostBudgetTest, NoPageOfTheHostIsOrderedAndNoneIsLost) {
  node_.Offer("a", {1, 2, 3});
  EXPECT_EQ(node_.Ordered(), (std::vector<uint64_t>{1}));
  OverBudget(1);
  EXPECT_FALSE(node_.TimeToNextOrder());
  EXPECT_EQ(node_.status().withheld, 3u);
  node_.Offer("a", {4});
  EXPECT_FALSE(node_.TimeToNextOrder());
  EXPECT_EQ(node_.status().withheld, 4u);
  EXPECT_EQ(node_.status().queued, 4u);
}

TEST_F(HostBudgetTest, OtherHostsGoOn) {
  node_.Offer("a", {1, 2});
  node_.Offer("b", {10, 11});
  EXPECT_EQ(node_.Ordered(), (std::vector<uint64_t>{1, 10}));
  OverBudget(1);
  node_.Done(10);
  EXPECT_EQ(node_.NextPage(), 11u);
}

TEST_F(HostBudgetTest, WhenRulesAreToldTheNodeIsAskedAgain) {
  node_.Offer("a", {1, 2});
  EXPECT_EQ(node_.Ordered(), (std::vector<uint64_t>{1}));
  OverBudget(1);
  TellRules();
  EXPECT_EQ(node_.NextPage(), 1u);
  OverBudget(1);
  EXPECT_FALSE(node_.TimeToNextOrder()) << "it still is";
  TellRules();
  EXPECT_EQ(node_.NextPage(), 1u);
  node_.Done(1);
  EXPECT_EQ(node_.NextPage(), 2u);
  EXPECT_EQ(node_.status().withheld, 0u);
}

TEST_F(HostBudgetTest, ABudgetOfTheHostsFileIsChangedThere) {
  node_.Offer("a", {1});
  EXPECT_EQ(node_.Ordered(), (std::vector<uint64_t>{1}));
  node_.Say(
      1, {.result = schedule::Result::kPostponed,
          .over_budget = std::string("9 of 9 pages of the group farm") + schedule::kByHostsFile});
  EXPECT_EQ(node_.Explain("a").reason,
            "Its budget is used up: 9 of 9 pages of the group farm, by the hosts file; 1 page "
            "waits, with its cash (change the file and send SIGHUP to the node).");
}

TEST_F(HostBudgetTest, ANewSessionBeginsWithoutIt) {
  node_.Offer("a", {1});
  EXPECT_EQ(node_.Ordered().size(), 1u);
  OverBudget(1);
  node_.Hello(4);
  EXPECT_EQ(node_.status().withheld, 0u);
  node_.Offer("a", {1});
  EXPECT_EQ(node_.NextPage(), 1u);
}

TEST_F(HostBudgetTest, ABlockOfTheHostIsABlockAndMayBeLifted) {
  node_.Offer("a", {1});
  EXPECT_EQ(node_.Ordered().size(), 1u);
  OverBudget(1);
  node_.scheduler().Handle(schedule::Rules{{{.name = "a", .blocked = true}}}, node_.now);
  EXPECT_FALSE(node_.TimeToNextOrder());
  EXPECT_NE(node_.Explain("a").reason.find("Blocked"), std::string::npos);
  TellRules();
  EXPECT_EQ(node_.NextPage(), 1u);
}

TEST_F(HostBudgetTest, OnlyAPostponedPageSaysSo) {
  node_.Offer("a", {1, 2});
  EXPECT_EQ(node_.Ordered().size(), 1u);
  node_.Say(1, {.requested = true, .status = 200, .over_budget = "9 of 9 pages of a"});
  EXPECT_EQ(node_.NextPage(), 2u);
}

TEST_F(HostBudgetTest, ItIsExplained) {
  node_.Offer("a", {1, 2});
  EXPECT_EQ(node_.Ordered().size(), 1u);
  OverBudget(1);
  const std::string reason = node_.Explain("a").reason;
  EXPECT_NE(reason.find("9 of 9 pages of a; 2 pages wait"), std::string::npos) << reason;
  const WaitingHosts waiting = node_.ExplainAll().reasons[static_cast<size_t>(HostWait::kBudget)];
  EXPECT_EQ(waiting.hosts, 1u);
  EXPECT_EQ(waiting.pages, 2u);
  EXPECT_EQ(waiting.example, "a");
}

}  // namespace
}  // namespace opic::scheduler
