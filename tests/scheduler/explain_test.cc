// What all hosts together wait for.
#include <gtest/gtest.h>

#include <set>

#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

class ExplainTest : public ::testing::Test {
 protected:
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
};

TEST_F(ExplainTest, EveryHostWithQueuedPagesCountsOnce) {
  node_.Hello(2);
  node_.Offer("delayed", {1, 2, 3});
  node_.Tick();
  node_.Done(1);
  node_.Offer("failed", {10});
  node_.Tick();
  node_.Broken(10);
  node_.Offer("fetched", {20, 21});
  node_.Offer("fetched-too", {30, 31});
  node_.Tick();
  node_.Offer("ready", {40, 41, 42, 43});
  node_.Tick();
  EXPECT_EQ(node_.Waiting(HostWait::kDelay).hosts, 1u);
  EXPECT_EQ(node_.Waiting(HostWait::kDelay).pages, 2u);
  EXPECT_EQ(node_.Waiting(HostWait::kDelay).example, "delayed");
  EXPECT_EQ(node_.Waiting(HostWait::kDelay).first, node_.Explain("delayed").next_allowed);
  EXPECT_EQ(node_.Waiting(HostWait::kRetries).hosts, 1u);
  EXPECT_EQ(node_.Waiting(HostWait::kFetching).hosts, 2u);
  EXPECT_EQ(node_.Waiting(HostWait::kFetching).pages, 2u) << "what is queued besides";
  EXPECT_EQ(node_.Waiting(HostWait::kFetches).pages, 4u);
  uint64_t hosts = 0;
  const WaitingReport report = node_.ExplainAll();
  for (const WaitingHosts& waiting : report.reasons) hosts += waiting.hosts;
  EXPECT_EQ(hosts, 5u);
}

// It was "the node could not try the last order".
TEST_F(ExplainTest, AFullMemoryForAnswersIsNamed) {
  node_.Hello(3);
  node_.Offer("roomless", {1});
  node_.Offer("postponed", {2});
  node_.Tick();
  node_.Say(2, {.result = schedule::Result::kPostponed});
  EXPECT_EQ(node_.status().idle_reason.find("memory"), std::string::npos);
  node_.Say(1, {.result = schedule::Result::kPostponed, .no_room = true});
  EXPECT_EQ(node_.Waiting(HostWait::kRoom).hosts, 1u);
  EXPECT_EQ(node_.Waiting(HostWait::kRoom).example, "roomless");
  EXPECT_LT(node_.Waiting(HostWait::kRoom).first, absl::InfiniteFuture());
  EXPECT_EQ(node_.Waiting(HostWait::kHeld).example, "postponed");
  EXPECT_NE(node_.ExplainAll().idle_reason.find("memory for answers was full (--memory)"),
            std::string::npos)
      << node_.ExplainAll().idle_reason;
  EXPECT_NE(node_.Explain("roomless").reason.find("--memory"), std::string::npos);
  EXPECT_EQ(node_.Explain("postponed").reason.find("--memory"), std::string::npos);
  EXPECT_NE(node_.Explain("postponed").reason.find("`opic status` counts"), std::string::npos)
      << "its log may say nothing";
}

TEST_F(ExplainTest, AFullMemoryIsForgottenWhenTheOrderIsTried) {
  node_.Hello(1);
  node_.Offer("roomless", {1, 2});
  node_.Tick();
  node_.Say(1, {.result = schedule::Result::kPostponed, .no_room = true});
  node_.Done(node_.NextPage());
  EXPECT_EQ(node_.Waiting(HostWait::kRoom).hosts, 0u);
  EXPECT_EQ(node_.Waiting(HostWait::kDelay).hosts, 1u);
  EXPECT_EQ(node_.ExplainAll().idle_reason.find("--memory"), std::string::npos)
      << node_.ExplainAll().idle_reason;
}

TEST_F(ExplainTest, EveryReasonHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kHostWaits; ++i) names.insert(Name(static_cast<HostWait>(i)));
  EXPECT_EQ(names.size(), kHostWaits);
}

}  // namespace
}  // namespace opic::scheduler
