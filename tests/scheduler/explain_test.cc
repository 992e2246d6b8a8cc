// What all hosts together wait for.
#include <gtest/gtest.h>

#include <set>

#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

class ExplainTest : public ::testing::Test {
 protected:
  const WaitingHosts& Waiting(HostWait wait) {
    report_ = node_.ExplainAll();
    return report_.reasons[static_cast<size_t>(wait)];
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
  WaitingReport report_;
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
  EXPECT_EQ(Waiting(HostWait::kDelay).hosts, 1u);
  EXPECT_EQ(Waiting(HostWait::kDelay).pages, 2u);
  EXPECT_EQ(Waiting(HostWait::kDelay).example, "delayed");
  EXPECT_EQ(Waiting(HostWait::kDelay).first, node_.Explain("delayed").next_allowed);
  EXPECT_EQ(Waiting(HostWait::kRetries).hosts, 1u);
  EXPECT_EQ(Waiting(HostWait::kFetching).hosts, 2u);
  EXPECT_EQ(Waiting(HostWait::kFetching).pages, 2u) << "what is queued besides";
  EXPECT_EQ(Waiting(HostWait::kFetches).pages, 4u);
  uint64_t hosts = 0;
  for (const WaitingHosts& waiting : report_.reasons) hosts += waiting.hosts;
  EXPECT_EQ(hosts, 5u);
}

TEST_F(ExplainTest, EveryReasonHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kHostWaits; ++i) names.insert(Name(static_cast<HostWait>(i)));
  EXPECT_EQ(names.size(), kHostWaits);
}

}  // namespace
}  // namespace opic::scheduler
