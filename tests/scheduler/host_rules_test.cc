// What operators have ruled of hosts, as the scheduler obeys it.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"
#include "url/page_id.h"

namespace opic::scheduler {
namespace {

using schedule::HostRule;

class ObeyedRulesTest : public ::testing::Test {
 protected:
  void Rule(std::vector<HostRule> rules) {
    node_.scheduler().Handle(schedule::Rules{std::move(rules)}, node_.now);
  }
  // The last number of withheld pages that the node was told, if it was told one now.
  std::optional<uint64_t> Withheld() {
    std::optional<uint64_t> told;
    for (const schedule::ToNode& message : node_.scheduler().Tick(node_.now)) {
      if (const auto* withheld = std::get_if<schedule::Withheld>(&message)) told = withheld->pages;
    }
    return told;
  }
  const HostRule a_blocked_{.name = "a", .blocked = true};

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
};

TEST_F(ObeyedRulesTest, ABlockTakesEffectOnWhatIsQueued) {
  node_.Hello(4);
  node_.Offer("a", {1, 2, 3});
  node_.Offer("b", {10});
  Rule({a_blocked_});
  EXPECT_EQ(node_.Ordered(), (std::vector<uint64_t>{10}));
  EXPECT_EQ(node_.scheduler().next_wake(), absl::InfiniteFuture())
      << "nobody wakes for a host that is blocked";
}

TEST_F(ObeyedRulesTest, AnUnblockedHostGoesOnWithAllItsPages) {
  node_.Hello(4);
  node_.Offer("a", {1, 2, 3});
  Rule({a_blocked_});
  EXPECT_TRUE(node_.Ordered().empty());
  Rule({});
  std::vector<uint64_t> pages;
  for (int i = 0; i < 3; ++i) {
    pages.push_back(node_.NextPage());
    node_.Done(pages.back());
  }
  EXPECT_EQ(pages, (std::vector<uint64_t>{1, 2, 3}));
}

TEST_F(ObeyedRulesTest, WhatIsOfferedOfABlockedHostWaitsToo) {
  node_.Hello(4);
  Rule({a_blocked_});
  node_.Offer("a", {1, 2});
  EXPECT_TRUE(node_.Ordered().empty());
  EXPECT_EQ(node_.status().queued, 2u);
  EXPECT_EQ(node_.status().withheld, 2u);
}

TEST_F(ObeyedRulesTest, AFetchUnderWayEndsAndNoneFollows) {
  node_.Hello(4);
  node_.Offer("a", {1, 2});
  EXPECT_EQ(node_.Ordered(), (std::vector<uint64_t>{1}));
  Rule({a_blocked_});
  node_.Done(1);
  EXPECT_FALSE(node_.TimeToNextOrder());
  Rule({});
  EXPECT_EQ(node_.NextPage(), 2u);
}

TEST_F(ObeyedRulesTest, APostponedPageOfABlockedHostStaysQueued) {
  node_.Hello(4);
  node_.Offer("a", {1});
  ASSERT_EQ(node_.Ordered().size(), 1u);
  Rule({a_blocked_});
  node_.Say(1, {.result = schedule::Result::kPostponed, .address_busy = true});
  EXPECT_FALSE(node_.TimeToNextOrder());
  EXPECT_EQ(node_.status().withheld, 1u);
  Rule({});
  EXPECT_EQ(node_.NextPage(), 1u);
}

TEST_F(ObeyedRulesTest, AHostThatWaitsForItsAddressIsTakenOutOfItsQueue) {
  Options options;
  options.per_address_max = 1;
  node_.Reconfigure(options);
  node_.Hello(8);
  for (const auto& [host, page] : std::map<std::string, uint64_t>{{"a", 1}, {"b", 10}, {"c", 20}}) {
    node_.Offer(host, {page, page + 1});
    for (uint64_t ordered : node_.Ordered()) node_.Done(ordered, "192.0.2.1");
  }
  node_.now += absl::Seconds(5);
  const std::vector<uint64_t> first = node_.Ordered();
  ASSERT_EQ(first.size(), 1u) << "one at a time from the address";
  std::set<std::string> waiting{"a", "b", "c"};
  waiting.erase(first[0] < 10 ? "a" : first[0] < 20 ? "b" : "c");
  const std::string blocked = *waiting.begin(), other = *waiting.rbegin();
  Rule({{.name = blocked, .blocked = true}});
  node_.Done(first[0], "192.0.2.1");
  const uint64_t next = node_.NextPage();
  EXPECT_EQ(next < 10 ? "a" : next < 20 ? "b" : "c", other);
  node_.Done(next, "192.0.2.1");
  EXPECT_FALSE(node_.TimeToNextOrder());
  Rule({});
  EXPECT_TRUE(node_.TimeToNextOrder());
}

TEST_F(ObeyedRulesTest, ADomainIsBlockedWithAllItsHosts) {
  node_.Hello(8);
  node_.Offer("www.example.org", {1});
  node_.Offer("example.org", {2});
  node_.Offer("anexample.org", {3});
  Rule({{.name = "example.org", .domain = true, .blocked = true}});
  EXPECT_EQ(node_.Ordered(), (std::vector<uint64_t>{3}));
}

TEST_F(ObeyedRulesTest, RulesComeWithTheSessionAndHoldBeforeItsFirstOrder) {
  node_.scheduler().Handle(
      schedule::NodeHello{.node = "n", .fetches_max = 4, .rules = {a_blocked_}}, node_.now);
  node_.Tick();
  node_.Offer("a", {1});
  EXPECT_TRUE(node_.Ordered().empty());
  node_.Hello(4);
  node_.Offer("a", {1});
  EXPECT_EQ(node_.Ordered().size(), 1u) << "a session without rules has none";
}

TEST_F(ObeyedRulesTest, TheNodeIsToldHowManyPagesAreWithheld) {
  node_.Hello(4);
  node_.Offer("a", {1, 2, 3});
  EXPECT_EQ(Withheld(), std::nullopt);
  Rule({a_blocked_});
  EXPECT_EQ(Withheld(), 2u) << "one of them is being fetched";
  EXPECT_EQ(Withheld(), std::nullopt) << "told once";
  Rule({});
  EXPECT_EQ(Withheld(), 0u);
}

TEST_F(ObeyedRulesTest, PagesWithheldDoNotKeepOthersFromBeingOffered) {
  Options options;
  options.ready_low_water = 3;
  node_.Restart(options);
  Rule({});
  node_.Hello(4);
  Rule({a_blocked_});
  ASSERT_TRUE(node_.directive);
  node_.Offer("a", {1, 2, 3, 4, 5});
  node_.Tick();
  EXPECT_TRUE(node_.directive) << "the scheduler asks for more";
}

TEST_F(ObeyedRulesTest, WithheldPagesSpillAndComeBack) {
  Options options;
  options.queued_in_memory_max = 4;
  node_.Restart(options);
  node_.Hello(4);
  Rule({a_blocked_});
  std::vector<uint64_t> offered;
  for (uint64_t page = 1; page <= 40; ++page) offered.push_back(page);
  node_.Offer("a", offered);
  EXPECT_EQ(node_.status().withheld, 40u);
  EXPECT_GT(node_.status().queued_on_disk, 30u);
  Rule({});
  std::vector<uint64_t> fetched;
  for (int i = 0; i < 40; ++i) {
    fetched.push_back(node_.NextPage());
    node_.Done(fetched.back());
  }
  EXPECT_EQ(fetched, offered);
  EXPECT_EQ(node_.status().withheld, 0u);
}

TEST_F(ObeyedRulesTest, ABlockedHostIsNotForgotten) {
  node_.Hello(4);
  Rule({a_blocked_});
  node_.Offer("a", {1});
  for (int day = 0; day < 3; ++day) {
    node_.now += absl::Hours(24);
    EXPECT_TRUE(node_.Ordered().empty());
  }
  Rule({});
  EXPECT_EQ(node_.NextPage(), 1u);
}

TEST_F(ObeyedRulesTest, AShardThatLeavesTakesTheQueueOfABlockedHostAway) {
  node_.Hello(4);
  node_.Offer("a", {1, 2});
  Rule({a_blocked_});
  const ShardId shard = url::UrlHash(url::ShardBy::kHost, 1).ShardOfHost("a");
  node_.scheduler().Handle(schedule::Release{shard, 1}, node_.now);
  node_.Tick();
  EXPECT_TRUE(node_.released);
  EXPECT_EQ(node_.status().queued, 0u);
  EXPECT_EQ(node_.status().withheld, 0u);
}

TEST_F(ObeyedRulesTest, AHostHasADelayOfItsOwn) {
  node_.Hello(4);
  Rule({{.name = "a", .delay = absl::Seconds(30)}});
  node_.Offer("a", {1, 2, 3});
  node_.Offer("b", {10, 11});
  EXPECT_EQ(node_.Ordered().size(), 2u);
  node_.Done(1);
  node_.Done(10);
  EXPECT_EQ(node_.NextPage(), 11u);
  node_.Done(11);
  const absl::Time before = node_.now;
  EXPECT_EQ(node_.NextPage(), 2u);
  EXPECT_EQ(node_.now - before, absl::Seconds(29));
  EXPECT_EQ(node_.Explain("a").delay, absl::Seconds(30));
}

TEST_F(ObeyedRulesTest, ACrawlDelayThatIsLongerStillHolds) {
  node_.Hello(4);
  Rule({{.name = "a", .delay = absl::ZeroDuration()}});
  node_.Offer("a", {1, 2});
  ASSERT_EQ(node_.Ordered().size(), 1u);
  node_.Say(1, {.requested = true, .status = 200, .crawl_delay = absl::Seconds(7)});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(7));
}

TEST_F(ObeyedRulesTest, ALongerDelayHoldsFromNowOn) {
  node_.Hello(4);
  node_.Offer("a", {1, 2});
  ASSERT_EQ(node_.Ordered().size(), 1u);
  node_.Done(1);
  Rule({{.name = "a", .delay = absl::Seconds(60)}});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(60));
}

TEST_F(ObeyedRulesTest, AShorterDelayEndsThePresentWait) {
  node_.Hello(4);
  Rule({{.name = "a", .delay = absl::Hours(20)}});
  node_.Offer("a", {1, 2});
  ASSERT_EQ(node_.Ordered().size(), 1u);
  node_.Done(1);
  Rule({{.name = "a", .delay = absl::Seconds(2)}});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(2));
}

TEST_F(ObeyedRulesTest, AShorterDelayDoesNotEndABackOff) {
  node_.Hello(4);
  Rule({{.name = "a", .delay = absl::Seconds(5)}});
  node_.Offer("a", {1, 2});
  ASSERT_EQ(node_.Ordered().size(), 1u);
  node_.Busy(1, absl::Minutes(10));
  Rule({{.name = "a", .delay = absl::Seconds(1)}});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Minutes(10));
}

TEST_F(ObeyedRulesTest, AfterACrashAHostWaitsTheDelayOfItsRule) {
  node_.Restart({});
  node_.scheduler().Handle(
      schedule::NodeHello{
          .node = "n", .fetches_max = 4, .rules = {{.name = "a", .delay = absl::Seconds(30)}}},
      node_.now);
  node_.Tick();
  node_.Offer("a", {1});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(30));
}

TEST_F(ObeyedRulesTest, ItIsToldWhyPagesWaitAndWhatEndsIt) {
  node_.Hello(4);
  node_.Offer("a", {1, 2});
  node_.Offer("www.example.org", {10});
  Rule({a_blocked_, {.name = "example.org", .domain = true, .blocked = true}});
  const WaitingReport report = node_.ExplainAll();
  const WaitingHosts& waiting = report.reasons[static_cast<size_t>(HostWait::kBlocked)];
  EXPECT_EQ(waiting.hosts, 2u);
  EXPECT_EQ(waiting.pages, 3u);
  EXPECT_NE(report.idle_reason.find("blocked"), std::string::npos) << report.idle_reason;
  EXPECT_EQ(node_.Explain("a").reason,
            "Blocked by an operator; 2 pages wait, with their cash (`opic control unblock a` ends "
            "that).");
  EXPECT_NE(node_.Explain("www.example.org").reason.find("unblock --domain example.org"),
            std::string::npos);
  EXPECT_NE(node_.Explain("never.example.org").reason.find("Blocked"), std::string::npos)
      << "also of a host of which nothing is queued";
}

TEST_F(ObeyedRulesTest, WhatTheHostsFileSaysIsToldAsTheFiles) {
  node_.Hello(4);
  node_.Offer("a", {1, 2});
  node_.Offer("b", {10, 11});
  Rule({{.name = "a", .blocked = true, .from_file = HostRule::kBlock},
        {.name = "b", .delay = absl::Seconds(30), .from_file = HostRule::kDelay}});
  EXPECT_EQ(node_.Explain("a").reason,
            "Blocked by the node's hosts file; 2 pages wait, with their cash (take it out of the "
            "file and send SIGHUP to the node).");
  node_.Done(node_.NextPage());
  EXPECT_EQ(node_.Explain("b").reason,
            "Waiting for the host's delay; next request in 30s (30s by the node's hosts file).");
  Rule({{.name = "b", .delay = absl::Seconds(30)}});
  EXPECT_EQ(node_.Explain("b").reason, "Waiting for the host's delay; next request in 30s.");
}

}  // namespace
}  // namespace opic::scheduler
