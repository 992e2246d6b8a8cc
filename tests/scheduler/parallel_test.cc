// Several requests to one host at a time: how many, how far apart, and what ends it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/crawl_model.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"
#include "url/page_id.h"

namespace opic::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ParallelTest : public ::testing::Test {
 protected:
  void SetUp() override { Begin({.delay = absl::ZeroDuration(), .per_host_max = 3}); }
  void Begin(const Options& options) {
    node_.Reconfigure(options);
    node_.Hello(100);
  }
  // Its first page is done, and pages 2 to 9 are queued.
  void HostAnswers() {
    node_.Offer("a", {1, 2, 3, 4, 5, 6, 7, 8, 9});
    ASSERT_THAT(node_.Ordered(), ElementsAre(1)) << "one until it has answered";
    node_.Done(1);
  }
  void Tell(std::vector<schedule::HostRule> rules, std::vector<schedule::HostGroup> groups = {}) {
    node_.scheduler().Handle(schedule::Rules{std::move(rules), std::move(groups)}, node_.now);
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
};

TEST_F(ParallelTest, AHostThatHasAnsweredGetsSoManyAtOnceAndNoMore) {
  HostAnswers();
  EXPECT_THAT(node_.Ordered(), ElementsAre(2, 3, 4));
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  node_.Done(3);
  EXPECT_THAT(node_.Ordered(), ElementsAre(5));
  node_.Done(2);
  node_.Done(4);
  EXPECT_THAT(node_.Ordered(), ElementsAre(6, 7));
}

TEST_F(ParallelTest, PagesOfferedBesideOthersAreAskedFor) {
  node_.Offer("a", {1});
  node_.Tick();
  node_.Done(1);
  node_.Offer("a", {2});
  EXPECT_THAT(node_.Ordered(), ElementsAre(2));
  node_.Offer("a", {3});
  EXPECT_THAT(node_.Ordered(), ElementsAre(3));
}

TEST_F(ParallelTest, TheDelayIsBetweenStarts) {
  Begin({.delay = absl::Seconds(1), .per_host_max = 3});
  HostAnswers();
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1)) << "the first was alone";
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
  node_.now += absl::Milliseconds(400);
  node_.Done(2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Milliseconds(600)) << "from the start of 3";
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt) << "3, 4 and 5 are under way";
}

TEST_F(ParallelTest, AnswersFasterThanTheDelayLeaveOneUnderWay) {
  Begin({.delay = absl::Seconds(1), .per_host_max = 3});
  HostAnswers();
  for (uint64_t page = 2; page < 6; ++page) {
    ASSERT_EQ(node_.NextPage(), page);
    node_.now += absl::Milliseconds(100);
    node_.Done(page);
  }
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Milliseconds(900));
}

TEST_F(ParallelTest, WithoutARequestTheDelayIsGivenBack) {
  Begin({.delay = absl::Seconds(1), .per_host_max = 3});
  HostAnswers();
  ASSERT_EQ(node_.NextPage(), 2u);
  node_.Settled(2);
  EXPECT_THAT(node_.Ordered(), ElementsAre(3));
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

TEST_F(ParallelTest, ACrawlDelayAsksForOneAtATime) {
  HostAnswers();
  node_.Tick();
  node_.Say(2, {.requested = true, .status = 200, .crawl_delay = absl::Seconds(7)});
  EXPECT_THAT(node_.Ordered(), IsEmpty());
  node_.now += absl::Seconds(9);
  EXPECT_THAT(node_.Ordered(), IsEmpty()) << "3 and 4 are under way";
  node_.Done(3);
  node_.Done(4);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(7));
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
}

TEST_F(ParallelTest, WhatFailsTogetherHasFailedOnce) {
  Begin({.delay = absl::ZeroDuration(), .per_host_max = 3, .host_failures_max = 3});
  HostAnswers();
  node_.Tick();
  for (uint64_t page : {2, 3, 4}) node_.Silent(page);
  EXPECT_FALSE(node_.Explain("a").given_up);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(2)) << "not doubled";
  EXPECT_THAT(node_.last_orders, SizeIs(1)) << "one until it answers again";
  node_.Done(node_.last_orders[0].page.word());
  EXPECT_THAT(node_.Ordered(), SizeIs(3));
}

TEST_F(ParallelTest, AnAnswerThatWasUnderWayDoesNotEndTheBackOff) {
  HostAnswers();
  node_.Tick();
  node_.Refused(2);
  node_.Done(3);
  node_.Done(4);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(2));
  EXPECT_THAT(node_.last_orders, SizeIs(1));
  node_.Refused(node_.last_orders[0].page.word());
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(4));
}

TEST_F(ParallelTest, ARetryAfterHoldsForAll) {
  HostAnswers();
  node_.Tick();
  node_.Busy(3, absl::Seconds(90));
  node_.Busy(2, absl::Seconds(40));
  node_.Done(4);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(90));
}

TEST_F(ParallelTest, ABlockStopsWhatIsInLineBesideOthers) {
  Begin({.delay = absl::Seconds(1), .per_host_max = 3});
  HostAnswers();
  ASSERT_EQ(node_.NextPage(), 2u);
  Tell({{.name = "a", .blocked = true}});
  node_.now += absl::Seconds(3);
  EXPECT_THAT(node_.Ordered(), IsEmpty());
  Tell({});
  EXPECT_THAT(node_.Ordered(), ElementsAre(3)) << "beside 2";
}

TEST_F(ParallelTest, ABudgetThatIsUsedUpStopsWhatIsInLineBesideOthers) {
  Begin({.delay = absl::Seconds(1), .per_host_max = 3});
  HostAnswers();
  ASSERT_EQ(node_.NextPage(), 2u);
  ASSERT_EQ(node_.NextPage(), 3u);
  node_.Say(3, {.result = schedule::Result::kPostponed, .over_budget = "5 pages"});
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  node_.Done(2);
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
}

TEST_F(ParallelTest, TheNearestRuleSaysHowMany) {
  Begin({.delay = absl::ZeroDuration()});
  Tell({{.name = "site.test", .domain = true, .parallel = 4},
        {.name = "www.site.test", .parallel = 2}},
       {{.name = "g", .parallel = 3, .hosts = {"in.group.test"}}});
  for (const auto& [host, most] : std::map<std::string, size_t>{
           {"a.site.test", 4}, {"www.site.test", 2}, {"in.group.test", 3}, {"else.test", 1}}) {
    SCOPED_TRACE(host);
    const uint64_t first = 100 * (1 + host.size());
    node_.Offer(host, {first, first + 1, first + 2, first + 3, first + 4, first + 5});
    node_.Tick();
    node_.Done(first);
    EXPECT_THAT(node_.Ordered(), SizeIs(most));
  }
}

TEST_F(ParallelTest, ARuleThatNarrowsLetsThoseUnderWayEnd) {
  HostAnswers();
  node_.Tick();
  Tell({{.name = "a", .parallel = 1}});
  node_.Done(2);
  node_.Done(3);
  EXPECT_THAT(node_.Ordered(), IsEmpty());
  node_.Done(4);
  EXPECT_THAT(node_.Ordered(), ElementsAre(5));
  Tell({});
  node_.Done(5);
  EXPECT_THAT(node_.Ordered(), ElementsAre(6, 7, 8));
}

TEST_F(ParallelTest, HostsOfAGroupHaveItsNumberTogether) {
  Begin({.delay = absl::ZeroDuration()});
  Tell({}, {{.name = "g", .parallel = 3, .hosts = {"a", "b"}}});
  node_.Offer("a", {1, 2, 3, 4});
  node_.Offer("b", {11, 12, 13, 14});
  EXPECT_THAT(node_.Ordered(), SizeIs(2));
  node_.Done(1);
  node_.Done(11);
  EXPECT_THAT(node_.Ordered(), SizeIs(3));
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
}

TEST_F(ParallelTest, TheDelayOfAGroupWithSeveralAtOnceIsBetweenStarts) {
  Begin({.delay = absl::ZeroDuration()});
  Tell({}, {{.name = "g", .delay = absl::Seconds(2), .parallel = 2, .hosts = {"a", "b"}}});
  node_.Offer("a", {1});
  node_.Offer("b", {11});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(2)) << "a group that is new here waits";
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(2)) << "beside the first";
}

TEST_F(ParallelTest, AGroupWithADelayAloneIsAskedForOneAtATime) {
  Tell({}, {{.name = "g", .delay = absl::Seconds(2), .hosts = {"a", "b"}}});
  node_.Offer("a", {1, 2});
  ASSERT_EQ(node_.NextPage(), 1u);
  node_.Done(1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(2));
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
}

TEST_F(ParallelTest, AnAddressIsNotAskedMoreOftenForIt) {
  Begin({.delay = absl::ZeroDuration(), .per_host_max = 3, .per_address_max = 2});
  node_.Offer("a", {1, 2, 3, 4});
  node_.Tick();
  node_.Done(1, "192.0.2.1");
  EXPECT_THAT(node_.Ordered(), ElementsAre(2, 3));
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  node_.Done(2, "192.0.2.1");
  EXPECT_THAT(node_.Ordered(), ElementsAre(4));
}

TEST_F(ParallelTest, ANewSessionTakesUpAllThatAreUnderWay) {
  HostAnswers();
  node_.Tick();
  node_.Restart({.delay = absl::ZeroDuration(), .per_host_max = 3});
  node_.Hello(100, {{Page(2), "a"}, {Page(3), "a"}, {Page(4), "a"}});
  node_.Offer("a", {5, 6, 7, 8, 9});
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  node_.Done(2);
  EXPECT_THAT(node_.Ordered(), ElementsAre(5));
}

TEST_F(ParallelTest, AShardWithSeveralUnderWayLeavesAfterTheLast) {
  HostAnswers();
  node_.Tick();
  const ShardId shard = url::UrlHash(url::ShardBy::kHost, 1).ShardOfHost("a");
  node_.scheduler().Handle(schedule::Release{shard, 1}, node_.now);
  for (uint64_t page : {2, 3}) {
    node_.Done(page);
    EXPECT_THAT(node_.Ordered(), IsEmpty());
    EXPECT_FALSE(node_.released);
  }
  node_.Done(4);
  node_.Tick();
  EXPECT_TRUE(node_.released);
}

TEST_F(ParallelTest, AnAnswerWithoutRoomIsNotAskedForAgainAtOnce) {
  HostAnswers();
  node_.Tick();
  node_.Say(2, {.result = schedule::Result::kPostponed, .requested = true, .no_room = true});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Milliseconds(100));
}

TEST_F(ParallelTest, PeopleAreToldHowManyThereMayBe) {
  node_.Offer("a", {1, 2, 3, 4, 5, 6});
  node_.Tick();
  EXPECT_EQ(node_.Explain("a").reason,
            "1 of its pages is being fetched; it may have 3 fetches at once, but one until it has "
            "answered.");
  node_.Done(1);
  node_.Tick();
  EXPECT_EQ(node_.Explain("a").reason,
            "3 of its pages are being fetched; it may have 3 fetches at once.");
}

// ------------------------------------------------------------------------------------ crawls

// Starts of each host, and how many were under way then.
void Judge(const std::vector<Fetch>& log, size_t most, absl::Duration delay) {
  std::map<std::string, std::vector<Fetch>> by_host;
  for (const Fetch& fetch : log) by_host[fetch.host].push_back(fetch);
  size_t reached = 0;
  for (const auto& [host, fetches] : by_host) {
    SCOPED_TRACE(host);
    for (size_t i = 1; i < fetches.size(); ++i) {
      ASSERT_GE(fetches[i].start - fetches[i - 1].start, delay);
      size_t under_way = 1;
      for (size_t j = 0; j < i; ++j) under_way += fetches[j].end > fetches[i].start;
      ASSERT_LE(under_way, most);
      reached = std::max(reached, under_way);
    }
  }
  EXPECT_EQ(reached, most);
}

TEST(ParallelCrawlTest, NoHostHasMoreThanItMayAndEachPageIsAskedForOnce) {
  for (const absl::Duration delay : {absl::ZeroDuration(), absl::Milliseconds(100)}) {
    std::vector<CrawlModel::Site> sites;
    for (int i = 0; i < 60; ++i) {
      sites.push_back({absl::StrCat("host", i), absl::StrCat("192.0.2.", i % 20), 40,
                       absl::Milliseconds(20), absl::Seconds(1)});
    }
    CrawlModel crawl({.delay = delay, .per_host_max = 4, .per_address_max = 9}, 100, sites, 7);
    crawl.Run(absl::InfiniteFuture());
    EXPECT_EQ(crawl.log().size(), 60u * 40);
    Judge(crawl.log(), 4, delay);
  }
}

// One host is asked four times as fast; hosts share few fetches as they did.
TEST(ParallelCrawlTest, ALatencyIsPaidForByAllUnderWay) {
  absl::Duration took[2];
  for (const int width : {1, 4}) {
    CrawlModel crawl({.delay = absl::ZeroDuration(), .per_host_max = width}, 100,
                     {{"a", "192.0.2.1", 401, absl::Milliseconds(20), absl::Milliseconds(20)}}, 8);
    crawl.Run(absl::InfiniteFuture());
    took[width > 1] = crawl.now() - CrawlModel::start();
  }
  EXPECT_EQ(took[0], 401 * absl::Milliseconds(20));
  EXPECT_EQ(took[1], 101 * absl::Milliseconds(20));
}

}  // namespace
}  // namespace opic::scheduler
