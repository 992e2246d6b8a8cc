// Sessions, offers and the queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/log_lines.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SessionTest : public ::testing::Test {
 protected:
  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
};

TEST_F(SessionTest, NothingIsSaidBeforeHello) {
  EXPECT_THAT(node_.Tick(), IsEmpty());
  EXPECT_EQ(node_.scheduler().next_wake(), absl::InfiniteFuture());
  EXPECT_EQ(node_.status().idle_reason, "no node is connected");
}

TEST_F(SessionTest, HelloForgetsWhatWasQueued) {
  node_.Hello(10);
  node_.Offer("a", {1, 2});
  node_.Hello(10);
  EXPECT_EQ(node_.status().queued, 0u);
  node_.Offer("a", {3});
  EXPECT_THAT(node_.Ordered(), ElementsAre(3));
}

TEST_F(SessionTest, AHostInFlightSinceAnEarlierSessionIsBusyUntilItsOutcome) {
  node_.Hello(10, {{Page(1), "a"}});
  node_.Offer("a", {2});
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  node_.Say(1, {.host = "a", .requested = true, .status = 200});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

TEST_F(SessionTest, AFetchThatANewHelloDoesNotListMayHaveEndedJustNow) {
  node_.Hello(10);
  node_.Offer("a", {1});
  node_.Tick();
  node_.Hello(10);
  node_.Offer("a", {2});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

// Two nodes with a copied configuration take it from each other, several times a minute.
TEST_F(SessionTest, ASecondNodeIsWarnedOf) {
  const support::LogLines log;
  for (const char* name : {"a", "a", "b"})
    node_.scheduler().Handle(schedule::NodeHello{.node = name}, node_.now);
  EXPECT_EQ(log.With("node b takes the place of node a"), 1);
  EXPECT_EQ(log.With("takes the place"), 1);
}

TEST_F(SessionTest, FetchesInFlightTakeTheirShareOfTheCapacity) {
  node_.Hello(2, {{Page(1), "a"}});
  node_.Offer("b", {2});
  node_.Offer("c", {3});
  EXPECT_THAT(node_.Ordered(), ElementsAre(2));
}

TEST_F(SessionTest, AnOutcomeOfAnEarlierSessionStillTellsOfItsHost) {
  node_.Hello(10);
  node_.Say(77, {.host = "a", .requested = true, .status = 503, .retry_after = absl::Seconds(60)});
  node_.Offer("a", {1});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(60));
}

// No order says since when it was under way.
TEST_F(SessionTest, ItHoldsFromNowOnWhateverTheNodesClockSays) {
  node_.Hello(10);
  node_.scheduler().Handle(schedule::Outcome{.page = Page(77),
                                             .host = "a",
                                             .requested = true,
                                             .ended = node_.now - absl::Hours(1),
                                             .status = 503,
                                             .retry_after = absl::Seconds(60)},
                           node_.now);
  node_.Offer("a", {1});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(60));
}

// ------------------------------------------------------------------------------------ order

TEST_F(SessionTest, WithinAHostTheLargestCashComesFirstThenTheEarliest) {
  node_.Hello(10);
  node_.Offer("a", {1}, 5);
  node_.Offer("a", {2}, 50);
  node_.Offer("a", {3}, 5);
  std::vector<uint64_t> order;
  for (int i = 0; i < 3; ++i) {
    order.push_back(node_.NextPage());
    node_.Done(order.back());
  }
  EXPECT_THAT(order, ElementsAre(2, 1, 3));
}

// Model: with hardly any memory the order is that of one sorted list a host, and no page is lost.
TEST_F(SessionTest, SpillingChangesNeitherOrderNorNumber) {
  for (size_t in_memory : {1, 3, 40, 100'000}) {
    node_.Reconfigure({.delay = absl::ZeroDuration(), .queued_in_memory_max = in_memory});
    node_.Hello(1);
    base::Rng rng(5);
    std::map<std::string, std::map<std::pair<uint64_t, uint64_t>, uint64_t>> model;
    size_t left = 0;
    for (uint64_t page = 1; page <= 600 || left > 0; ++page) {
      if (page <= 600) {
        const std::string host = absl::StrCat("h", rng.Below(3));
        const uint64_t cash = rng.Below(20);
        node_.Offer(host, {page}, cash);
        model[host][{~cash, page}] = page;
        ++left;
      }
      if (page <= 600 && rng.Below(3) > 0) continue;
      const uint64_t next = node_.NextPage();
      node_.Done(next);
      --left;
      bool first_of_its_host = false;
      for (auto& [host, pages] : model) {
        if (pages.empty() || pages.begin()->second != next) continue;
        pages.erase(pages.begin());
        first_of_its_host = true;
      }
      ASSERT_TRUE(first_of_its_host) << next << " with " << in_memory << " in memory";
    }
    EXPECT_EQ(node_.status().queued, 0u);
    EXPECT_EQ(node_.status().queued_on_disk, 0u);
  }
}

TEST_F(SessionTest, MemoryIsBoundedByTheOption) {
  node_.Reconfigure({.queued_in_memory_max = 10});
  node_.Hello(1);
  node_.Capacity(0);
  for (uint64_t page = 1; page <= 500; ++page) node_.Offer(absl::StrCat("h", page % 7), {page});
  EXPECT_EQ(node_.status().queued, 500u);
  EXPECT_GE(node_.status().queued_on_disk, 490u);
}

TEST_F(SessionTest, APageRequeuedWhileAllElseIsOnDiskStillComesFirst) {
  node_.Reconfigure({.delay = absl::ZeroDuration(), .queued_in_memory_max = 1});
  node_.Hello(1);
  node_.Offer("a", {1, 2, 3, 4}, 9);
  node_.NextPage();
  node_.Refused(1);
  EXPECT_EQ(node_.NextPage(), 1u);
}

TEST_F(SessionTest, APageOfferedAgainWhileItIsFetchedIsNotOrderedTwice) {
  node_.Hello(10);
  node_.Offer("a", {1});
  node_.Tick();
  node_.Offer("b", {1, 2});
  EXPECT_THAT(node_.Ordered(), ElementsAre(2));
  EXPECT_EQ(node_.status().in_flight, 2u);
}

// ------------------------------------------------------------------------------------ asking

TEST_F(SessionTest, AsksWhenLittleIsQueuedAndOnlyOnceAtATime) {
  node_.Hello(10);
  ASSERT_TRUE(node_.directive);
  EXPECT_EQ(node_.directive->want, 4000u);
  const uint64_t first = node_.directive->id;
  node_.Tick();
  EXPECT_EQ(node_.directive->id, first);
  node_.Offer("a", {1});
  node_.Tick();
  ASSERT_TRUE(node_.directive);
  EXPECT_NE(node_.directive->id, first);
}

TEST_F(SessionTest, AfterExhaustionAsksOnlyWhenSomethingHappened) {
  node_.Hello(10);
  node_.Offer("a", {1});
  node_.Tick();
  node_.NothingLeft();
  node_.now += absl::Hours(1);
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  EXPECT_FALSE(node_.directive);
  node_.Done(1);
  node_.Tick();
  EXPECT_TRUE(node_.directive);
}

TEST_F(SessionTest, WhilePagesAreQueuedAnExhaustedNodeIsLeftAloneForAMoment) {
  node_.Hello(10);
  node_.Offer("a", {1, 2, 3});
  node_.Tick();
  node_.NothingLeft();
  node_.Done(1);
  node_.Tick();
  EXPECT_FALSE(node_.directive);
  EXPECT_EQ(node_.scheduler().next_wake(), node_.now + absl::Milliseconds(50));
  node_.now = node_.scheduler().next_wake();
  node_.Tick();
  EXPECT_TRUE(node_.directive);
}

// An outcome between question and answer: the answer may have been worked out before it.
TEST_F(SessionTest, AnAnswerOlderThanAnOutcomeDoesNotMeanTheEnd) {
  node_.Hello(10);
  node_.Offer("a", {1});
  node_.Tick();
  node_.Done(1);
  node_.NothingLeft();
  EXPECT_FALSE(node_.status().exhausted);
  node_.Tick();
  ASSERT_TRUE(node_.directive);
  node_.NothingLeft();
  EXPECT_TRUE(node_.status().exhausted);
  EXPECT_EQ(node_.status().idle_reason, "no page is left to fetch");
}

TEST_F(SessionTest, AGiantSlowHostDoesNotKeepTheSchedulerFromAskingForOthers) {
  node_.Reconfigure({.ready_low_water = 10});
  node_.Hello(10);
  for (uint64_t page = 1; page <= 100; ++page) node_.Offer("giant", {page});
  node_.Tick();
  node_.now += absl::Seconds(1);
  node_.Tick();
  ASSERT_TRUE(node_.directive) << "ten fetches are free and one host is queued";
  node_.Offer("small", {1000});
  EXPECT_THAT(node_.Ordered(), ElementsAre(1000));
}

TEST_F(SessionTest, ALoneHostIsNotAskedForWithoutEnd) {
  node_.Reconfigure({.ready_low_water = 10});
  node_.Hello(10);
  int asked = 0;
  uint64_t page = 0;
  const absl::Time start = node_.now;
  while (node_.now < start + absl::Minutes(2)) {
    node_.Tick();
    if (node_.directive) {
      ++asked;
      node_.Offer("lone", {page + 1, page + 2, page + 3, page + 4, page + 5});
      page += 5;
    }
    node_.now += absl::Milliseconds(10);
  }
  EXPECT_LT(asked, 60);
}

TEST_F(SessionTest, WithEnoughHostsQueuedTheLowWaterMarkDecides) {
  node_.Reconfigure({.ready_low_water = 10});
  node_.Hello(2);
  for (uint64_t page = 1; page <= 20; ++page) node_.Offer(absl::StrCat("h", page), {page});
  node_.Tick();
  node_.now += absl::Minutes(1);
  node_.Tick();
  EXPECT_FALSE(node_.directive);
}

// ------------------------------------------------------------------------------------ sentences

TEST_F(SessionTest, ExplainsWhyAHostWaits) {
  node_.Hello(1);
  EXPECT_FALSE(node_.Explain("a").known);
  node_.Offer("a", {1, 2, 3});
  EXPECT_THAT(node_.Explain("a").reason, HasSubstr("ordered next"));
  node_.Tick();
  EXPECT_TRUE(node_.Explain("a").in_flight);
  EXPECT_THAT(node_.Explain("a").reason, HasSubstr("one fetch at a time"));
  node_.Done(1);
  EXPECT_THAT(node_.Explain("a").reason, HasSubstr("delay; next request in 1s"));
  EXPECT_THAT(node_.status().idle_reason, HasSubstr("must wait for its delay"));
  EXPECT_EQ(node_.Explain("a").queued, 2u);
}

TEST_F(SessionTest, ExplainsBackOffAndPause) {
  node_.Hello(1);
  node_.Offer("a", {1});
  node_.Tick();
  node_.Refused(1);
  EXPECT_THAT(node_.Explain("a").reason, HasSubstr("Backing off after a temporary error"));
  node_.Capacity(0);
  EXPECT_EQ(node_.status().idle_reason, "the node has paused fetching");
  node_.now += absl::Minutes(1);
  EXPECT_EQ(node_.Explain("a").reason, "The node has paused fetching.");
}

}  // namespace
}  // namespace opic::scheduler
