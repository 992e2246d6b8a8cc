// Hosts of a group, which are asked as one host is (schedule::HostGroup).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// The delay of hosts is a second, that of the group is three.
class GroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    node_.Hello(8);
    Group(absl::Seconds(3));
  }
  void Group(absl::Duration delay) {
    Rules({{.name = "farm", .delay = delay, .hosts = {"a", "b"}, .domains = {"example.org"}}});
  }
  void Rules(std::vector<schedule::HostGroup> groups) {
    node_.scheduler().Handle(schedule::Rules{{}, std::move(groups)}, node_.now);
  }
  void OfferAll() {
    node_.Offer("a", {1, 2, 3});
    node_.Offer("b", {11, 12, 13});
    node_.Offer("www.example.org", {21, 22, 23});
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
};

TEST_F(GroupTest, ItsHostsAreAskedOneAtATimeWithItsDelayBetween) {
  OfferAll();
  std::set<uint64_t> hosts;
  for (int i = 0; i < 9; ++i) {
    ASSERT_EQ(node_.TimeToNextOrder(), absl::Seconds(3)) << i;
    ASSERT_THAT(node_.last_orders, SizeIs(1));
    const uint64_t page = node_.last_orders[0].page.word();
    if (i < 3) hosts.insert(page / 10);
    EXPECT_FALSE(node_.TimeToNextOrder(absl::Minutes(5))) << "one is under way";
    node_.now += absl::Seconds(2);
    node_.Done(page);
  }
  EXPECT_THAT(hosts, SizeIs(3)) << "each has its turn";
}

TEST_F(GroupTest, OtherHostsAreNotKeptWaiting) {
  OfferAll();
  node_.Offer("c", {31});
  EXPECT_EQ(node_.Ordered(), (std::vector<uint64_t>{31}));
}

TEST_F(GroupTest, WithoutAPauseItStillAsksOneAtATime) {
  Group(absl::ZeroDuration());
  OfferAll();
  EXPECT_THAT(node_.Ordered(), SizeIs(1));
  EXPECT_THAT(node_.Ordered(), IsEmpty());
}

TEST_F(GroupTest, AHostOfItKeepsItsOwnPause) {
  Group(absl::Milliseconds(10));
  node_.Offer("a", {1, 2});
  node_.Done(node_.NextPage());
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

TEST_F(GroupTest, AnAnswerThatSlowsDownSlowsTheGroup) {
  OfferAll();
  node_.Busy(node_.NextPage(), absl::Seconds(60));
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(60));
}

TEST_F(GroupTest, ABrokenPageDoesNot) {
  OfferAll();
  node_.Broken(node_.NextPage());
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(3));
}

TEST_F(GroupTest, WhatWasNotTriedCostsNoPause) {
  node_.Offer("a", {1});
  node_.Offer("b", {11});
  const uint64_t first = node_.NextPage();
  node_.Settled(first);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::ZeroDuration());
}

TEST_F(GroupTest, ItsDelayChangesWhileHostsWait) {
  OfferAll();
  Group(absl::Seconds(30));
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(30));
  node_.Done(node_.last_orders[0].page.word());
  Group(absl::Seconds(2));
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(2));
}

TEST_F(GroupTest, HostsLeaveItWhileTheyWait) {
  OfferAll();
  EXPECT_THAT(node_.Ordered(), IsEmpty());
  Rules({});
  EXPECT_THAT(node_.Ordered(), SizeIs(3));
}

TEST_F(GroupTest, HostsComeIntoItWhileOneIsAsked) {
  Rules({});
  OfferAll();
  const std::vector<uint64_t> asked = node_.Ordered();
  ASSERT_THAT(asked, SizeIs(3));
  Group(absl::Seconds(3));
  for (uint64_t page : asked) node_.Done(page);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(3));
  EXPECT_THAT(node_.last_orders, SizeIs(1));
}

TEST_F(GroupTest, WhatASessionFoundUnderWayCounts) {
  OfferAll();
  const uint64_t under_way = node_.NextPage();
  const std::vector<schedule::HostGroup> groups = {
      {.name = "farm", .delay = absl::Seconds(3), .hosts = {"a", "b"}}};
  node_.Restart({});
  node_.scheduler().Handle(
      schedule::NodeHello{
          .node = "n", .in_flight = {{Page(under_way), "a"}}, .fetches_max = 8, .groups = groups},
      node_.now);
  node_.Tick();
  node_.Offer("b", {14});
  EXPECT_FALSE(node_.TimeToNextOrder(absl::Minutes(5)));
  node_.Say(under_way, {.host = "a", .requested = true, .status = 200});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(3));
}

TEST_F(GroupTest, WhatALostSessionAskedMayHaveEndedJustNow) {
  OfferAll();
  node_.NextPage();
  node_.now += absl::Seconds(60);
  node_.scheduler().Handle(
      schedule::NodeHello{.node = "n",
                          .fetches_max = 8,
                          .groups = {{.name = "farm", .delay = absl::Seconds(3), .hosts = {"b"}}}},
      node_.now);
  node_.Tick();
  node_.Offer("b", {14});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(3));
}

// Both are limited: a host waits for the one and then for the other.
TEST_F(GroupTest, ItsAddressHasItsLimitToo) {
  Options options;
  options.per_address_max = 1;
  node_.Reconfigure(options);
  node_.Hello(8);
  Group(absl::Milliseconds(1));
  for (const char* host : {"a", "b", "c"}) {
    const uint64_t page = static_cast<uint64_t>(host[0] - 'a') * 10 + 1;
    node_.Offer(host, {page, page + 1, page + 2});
  }
  for (int i = 0; i < 3; ++i) node_.Done(node_.NextPage(), "192.0.2.1");
  std::set<uint64_t> pages;
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(node_.TimeToNextOrder(absl::Seconds(3))) << i;
    ASSERT_THAT(node_.last_orders, SizeIs(1));
    pages.insert(node_.last_orders[0].page.word());
    node_.Done(node_.last_orders[0].page.word(), "192.0.2.1");
  }
  EXPECT_THAT(pages, SizeIs(6));
  EXPECT_FALSE(node_.TimeToNextOrder());
}

TEST_F(GroupTest, ABlockedHostLeavesTheOthersTheirTurn) {
  OfferAll();
  node_.scheduler().Handle(
      schedule::Rules{{{.name = "a", .blocked = true}},
                      {{.name = "farm", .delay = absl::Seconds(3), .hosts = {"a", "b"}}}},
      node_.now);
  node_.Ordered();  // www.example.org is in no group now
  ASSERT_EQ(node_.TimeToNextOrder(absl::Seconds(4)), absl::Seconds(3));
  EXPECT_EQ(node_.last_orders[0].page.word() / 10, 1u);
}

// Hosts with many pages each, which answer at once, for ten seconds; how many pages of the group
// were asked for, and of others.
std::pair<int, int> AskForTenSeconds(NodeTalk& node) {
  std::vector<uint64_t> pages(2000);
  for (uint64_t host = 0; host < 40; ++host) {
    std::iota(pages.begin(), pages.end(), 10'000 * (host + 1));
    node.Offer((host < 20 ? "x" : "y") + std::to_string(host) + (host < 20 ? ".farm" : ".other"),
               pages);
  }
  std::pair<int, int> asked;
  for (int step = 0; step < 1000; ++step) {
    for (uint64_t page : node.Ordered()) {
      ++(page < 210'000 ? asked.first : asked.second);
      node.Done(page);
    }
    node.now += absl::Milliseconds(10);
  }
  return asked;
}

TEST_F(GroupTest, ItGetsItsShareOfTheRateAndOthersTheRest) {
  node_.Reconfigure({.delay = absl::Milliseconds(100), .pages_per_s_max = 100});
  node_.Hello(100);
  Rules({{.name = "farm", .share = 0.05, .domains = {"farm"}}});
  const auto [farm, others] = AskForTenSeconds(node_);
  EXPECT_NEAR(farm, 50, 3);
  EXPECT_NEAR(others, 950, 15);
}

// As `share` of a single host or domain in a hosts file is told.
TEST_F(GroupTest, ADomainGetsItsOwnShareOfTheRateAndOthersTheRest) {
  node_.Reconfigure({.delay = absl::Milliseconds(100), .pages_per_s_max = 100});
  node_.Hello(100);
  Rules({{.name = schedule::NameOfOwnShare({true, "farm"}), .share = 0.05, .domains = {"farm"}}});
  const auto [farm, others] = AskForTenSeconds(node_);
  EXPECT_NEAR(farm, 50, 3);
  EXPECT_NEAR(others, 950, 15);
}

TEST_F(GroupTest, TheShareOfAHostIsExplained) {
  node_.Reconfigure({.delay = absl::Milliseconds(100), .pages_per_s_max = 1});
  node_.Hello(100);
  Rules({{.name = schedule::NameOfOwnShare({false, "a"}), .share = 0.05, .hosts = {"a"}}});
  node_.Offer("a", {1, 2});
  node_.Done(node_.NextPage());
  EXPECT_FALSE(node_.TimeToNextOrder(absl::Seconds(19)));
  EXPECT_THAT(node_.Explain("a").reason,
              ::testing::HasSubstr("Waiting for the share of a, 5% of --rate"));
  EXPECT_EQ(node_.Waiting(HostWait::kGroup).hosts, 1u);
  EXPECT_TRUE(node_.TimeToNextOrder(absl::Seconds(20)));
}

TEST_F(GroupTest, AShareFollowsTheRateThatIsInForce) {
  node_.Reconfigure({.delay = absl::Milliseconds(100), .pages_per_s_max = 10});
  node_.Hello(100);
  Rules({{.name = "farm", .share = 0.05, .domains = {"farm"}}});
  ASSERT_TRUE(node_.scheduler().SetBudget(200.0, std::nullopt).ok());
  EXPECT_NEAR(AskForTenSeconds(node_).first, 100, 5);
}

// A share of next to nothing has just been used up.
TEST_F(GroupTest, ALargerShareOrRateEndsThePresentWait) {
  for (const bool by_rate : {true, false}) {
    node_.Reconfigure({.pages_per_s_max = 1});
    node_.Hello(100);
    Rules({{.name = "farm", .share = 1e-5, .hosts = {"a", "b"}}});
    node_.Offer("a", {1});
    node_.Offer("b", {11});
    node_.Done(node_.NextPage());
    ASSERT_FALSE(node_.TimeToNextOrder(absl::Hours(24)));
    if (by_rate) {
      ASSERT_TRUE(node_.scheduler().SetBudget(1e5, std::nullopt).ok());
    } else {
      Rules({{.name = "farm", .share = 1, .hosts = {"a", "b"}}});
    }
    EXPECT_TRUE(node_.TimeToNextOrder(absl::Seconds(1))) << by_rate;
    ASSERT_TRUE(node_.scheduler().SetBudget(1, std::nullopt).ok());
  }
}

TEST_F(GroupTest, WithoutARateThereIsNoShare) {
  node_.Reconfigure({.delay = absl::Milliseconds(100)});
  node_.Hello(100);
  Rules({{.name = "farm", .share = 0.05, .domains = {"farm"}}});
  const auto [farm, others] = AskForTenSeconds(node_);
  EXPECT_NEAR(farm, others, 40);
}

TEST_F(GroupTest, AShareIsExplained) {
  node_.Reconfigure({.pages_per_s_max = 1});
  node_.Hello(100);
  Rules({{.name = "farm", .share = 0.05, .hosts = {"a", "b"}}});
  node_.Offer("a", {1});
  node_.Offer("b", {11});
  node_.Done(node_.NextPage());
  EXPECT_FALSE(node_.TimeToNextOrder(absl::Seconds(19)));
  EXPECT_THAT(node_.Explain("b").reason + node_.Explain("a").reason,
              ::testing::HasSubstr("get 5% of --rate"));
  EXPECT_TRUE(node_.TimeToNextOrder(absl::Seconds(20)));
}

TEST_F(GroupTest, WhatWasNotTriedCostsNoShare) {
  node_.Reconfigure({.pages_per_s_max = 1});
  node_.Hello(100);
  Rules({{.name = "farm", .share = 0.05, .hosts = {"a", "b"}}});
  node_.Offer("a", {1});
  node_.Offer("b", {11});
  node_.Settled(node_.NextPage());
  EXPECT_TRUE(node_.TimeToNextOrder(absl::Seconds(1)));
}

TEST_F(GroupTest, ExplainNamesIt) {
  OfferAll();
  EXPECT_THAT(node_.Ordered(), IsEmpty());
  EXPECT_EQ(node_.Waiting(HostWait::kGroup).hosts, 3u);
  EXPECT_THAT(node_.Explain("a").reason, ::testing::HasSubstr("its group farm"));
  EXPECT_THAT(node_.Explain("a").reason, ::testing::HasSubstr("the next one in 3s"));
  node_.NextPage();
  EXPECT_THAT(node_.status().idle_reason, ::testing::HasSubstr("group"));
}

}  // namespace
}  // namespace opic::scheduler
