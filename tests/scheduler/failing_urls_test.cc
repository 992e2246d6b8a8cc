// URLs that fail while others of their host are well.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FailingUrlsTest : public ::testing::Test {
 protected:
  void Begin(const Options& options) {
    node_.Reconfigure(options);
    node_.Hello(100);
  }
  void SetUp() override { Begin({}); }

  // Crawls all that is offered, pages that `fails` answering 500. How long until the last good one.
  absl::Duration CrawlAll(const std::function<bool(uint64_t)>& fails) {
    const absl::Time start = node_.now;
    absl::Duration last_good;
    while (node_.TimeToNextOrder()) {
      const schedule::Order order = node_.last_orders.front();
      ++requests_;
      if (!fails(order.page.word())) {
        last_good = node_.now - start;
        ++good_;
        node_.Done(order.page.word());
      } else if (order.last_attempt) {
        node_.Say(order.page.word(), {.requested = true, .status = 500});
      } else {
        node_.Broken(order.page.word());
      }
    }
    EXPECT_EQ(node_.status().queued, 0u);
    return last_good;
  }
  void OfferMany(uint64_t first, uint64_t last, uint64_t cash) {
    for (uint64_t page = first; page <= last; ++page) node_.Offer("a", {page}, cash);
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
  int requests_ = 0, good_ = 0;
};

TEST_F(FailingUrlsTest, TheOthersOfTheHostGoOnAndTheUrlComesBackAtItsTime) {
  node_.Offer("a", {1, 2, 3, 4});
  node_.Tick();
  node_.Broken(1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
  EXPECT_EQ(node_.last_orders[0].page, Page(2));
  node_.Done(2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
  EXPECT_EQ(node_.last_orders[0].page, Page(1)) << "two seconds later, before what is left";
  node_.Broken(1);
  EXPECT_EQ(node_.NextPage(), 3u);
  node_.Done(3);
  EXPECT_EQ(node_.NextPage(), 4u);
  node_.Done(4);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(2)) << "alone it waits for its time";
  EXPECT_TRUE(node_.last_orders[0].last_attempt);
}

TEST_F(FailingUrlsTest, GoodPagesWaitForNoneOfThem) {
  Begin({.delay = absl::Milliseconds(1)});
  OfferMany(1, 5, 9);
  OfferMany(6, 206, 1);
  EXPECT_LE(CrawlAll([](uint64_t page) { return page <= 5; }), absl::Milliseconds(1) * (206 + 10));
  EXPECT_EQ(requests_, 201 + 5 * 3);
}

// A server that answers every other URL with 500 does not avoid its pace.
TEST_F(FailingUrlsTest, EveryOtherUrlFailingCostsItsRequestsAtTheHostsPace) {
  OfferMany(1, 400, 1);
  EXPECT_LE(CrawlAll([](uint64_t page) { return page % 2 == 0; }), absl::Seconds(400 + 400));
  EXPECT_EQ(requests_, 200 + 200 * 3);
}

// Whole parts of a site fail, and come in a row.
TEST_F(FailingUrlsTest, AThousandInARowDoNotHoldUpTheGoodOnesForDays) {
  OfferMany(1, 1000, 9);
  OfferMany(1001, 1200, 1);
  EXPECT_LE(CrawlAll([](uint64_t page) { return page <= 1000; }), absl::Hours(2));
}

// The host is down for a while: nothing is lost, and it is left alone more and more.
TEST_F(FailingUrlsTest, AHostThatFailsWhollyIsLeftAloneAndLosesNoPage) {
  OfferMany(1, 500, 1);
  const absl::Time up = node_.now + absl::Hours(1);
  int asked_while_down = 0;
  CrawlAll([&](uint64_t) {
    asked_while_down += node_.now < up;
    return node_.now < up;
  });
  EXPECT_LE(asked_while_down, 30);
  EXPECT_EQ(requests_, asked_while_down + 500);
}

TEST_F(FailingUrlsTest, ANewPageIsNotHeldUpByTheFailedOnes) {
  node_.Offer("a", {1});
  node_.Tick();
  node_.Broken(1);
  node_.now += absl::Milliseconds(1500);
  EXPECT_THAT(node_.Ordered(), IsEmpty());
  EXPECT_THAT(node_.Explain("a").reason, HasSubstr("tried again; the first in 500ms"));
  node_.Offer("a", {2});
  EXPECT_THAT(node_.Ordered(), ElementsAre(2));
}

// The host's delay was told of while it is over before any page is asked for.
TEST_F(FailingUrlsTest, ThatOnlySuchPagesAreLeftIsReportedAndUntilWhen) {
  node_.Offer("a", {1});
  node_.Offer("b", {2});
  node_.Tick();
  node_.Broken(1);
  node_.Done(2);
  node_.now += absl::Milliseconds(500);
  EXPECT_THAT(node_.Ordered(), IsEmpty());
  EXPECT_EQ(node_.Explain("a").reason,
            "Its pages left have failed and are tried again; the first in 1.5s.");
  EXPECT_EQ(node_.status().idle_reason,
            "1 page is left that has failed and is tried again, on 1 host; the first in 1.5s");
  node_.Offer("b", {3});
  EXPECT_THAT(node_.status().idle_reason, HasSubstr("must wait for its delay"));
}

TEST_F(FailingUrlsTest, OfAHostGivenUpTheyAreSettledAtOnce) {
  Begin({.attempts_max = 9, .host_failures_max = 1});
  node_.Offer("a", {1, 2});
  node_.Tick();
  node_.Broken(1);
  node_.now += absl::Seconds(1);
  node_.Tick();
  node_.Silent(2);
  for (int i = 0; i < 2; ++i) {
    const std::vector<schedule::Order> orders = node_.Tick();
    ASSERT_THAT(orders, SizeIs(1));
    EXPECT_TRUE(orders[0].host_given_up);
    node_.Settled(orders[0].page.word());
  }
}

TEST_F(FailingUrlsTest, DoubtOutlivesTheProcess) {
  OfferMany(1, 20, 1);
  for (int i = 0; i < 12; ++i) node_.Broken(node_.NextPage());
  node_.now += absl::Seconds(1);
  node_.Tick();
  node_.Restart({});
  node_.Hello(1);
  OfferMany(21, 30, 1);
  EXPECT_THAT(node_.Explain("a").reason, HasSubstr("10 or more of its URLs failed in a row"));
  node_.Broken(node_.NextPage());
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(16));
}

// Found no place among those that wait, it was asked for again at once, until it had failed for
// good.
TEST_F(FailingUrlsTest, WithTooManyWaitingOneMoreWaitsAllTheSame) {
  Begin({.delay = absl::ZeroDuration(), .queued_in_memory_max = 16});  // one may wait
  node_.Offer("a", {1});
  node_.Offer("b", {2});
  node_.Tick();
  node_.Broken(1);
  node_.Broken(2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Milliseconds(250));
  std::set<uint64_t> asked;
  for (const schedule::Order& order : node_.last_orders) asked.insert(order.page.word());
  EXPECT_THAT(asked, ElementsAre(1, 2));
  node_.Offer("b", {3});
  node_.Broken(1);
  node_.Broken(2);
  EXPECT_THAT(node_.Ordered(), ElementsAre(3)) << "a new page waits for none of them";
}

// The host of them fails for a quarter of an hour, and other pages are asked for to find out.
TEST_F(FailingUrlsTest, WithTooManyWaitingAHostInDoubtLosesNoPage) {
  Begin({.queued_in_memory_max = 32});  // two may wait
  OfferMany(1, 12, 1);
  const absl::Time up = node_.now + absl::Minutes(15);
  CrawlAll([&](uint64_t) { return node_.now < up; });
  EXPECT_EQ(good_, 12);
}

// Memory is bounded: of 3,000 that fail at once 62 wait at a time of their own, the others behind
// the rest of their host, on disk where there is no room.
TEST_F(FailingUrlsTest, NoneIsLostWhenMoreFailThanMayWait) {
  Begin({.delay = absl::ZeroDuration(), .attempts_max = 4, .queued_in_memory_max = 1000});
  std::set<uint64_t> good;
  OfferMany(1, 6000, 1);
  CrawlAll([&](uint64_t page) {
    if (page % 2 == 0) good.insert(page);
    return page % 2 == 1;
  });
  EXPECT_EQ(good.size(), 3000u);
  EXPECT_EQ(requests_, 3000 + 3000 * 4);
}

}  // namespace
}  // namespace opic::scheduler
