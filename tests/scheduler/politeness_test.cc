// The rules of politeness, one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/scheduler/node_talk.h"
#include "tests/support/memory_store.h"

namespace opic::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class PolitenessTest : public ::testing::Test {
 protected:
  void Begin(const Options& options, uint32_t fetches_max = 100) {
    node_.Reconfigure(options);
    node_.Hello(fetches_max);
  }
  void SetUp() override { Begin({}); }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  NodeTalk node_{*store_};
};

// ------------------------------------------------------------------------------------ hosts

TEST_F(PolitenessTest, AHostHasOneFetchAtATime) {
  node_.Offer("a", {1, 2});
  node_.Offer("b", {3});
  EXPECT_THAT(node_.Ordered(), UnorderedElementsAre(1, 3));
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
}

TEST_F(PolitenessTest, APageOfferedWhileItsHostIsFetchedWaits) {
  node_.Offer("a", {1});
  node_.Tick();
  node_.Offer("a", {2});
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  node_.Done(1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

TEST_F(PolitenessTest, TheDelayRunsFromTheEndOfTheFetch) {
  node_.Offer("a", {1, 2});
  node_.Tick();
  node_.now += absl::Seconds(30);
  node_.Done(1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

TEST_F(PolitenessTest, TheEndIsWhenTheNodeSaysUnlessThatCannotBe) {
  node_.Offer("a", {1, 2, 3});
  node_.Tick();
  node_.now += absl::Seconds(10);
  const schedule::Outcome early{.page = Page(1),
                                .host = "a",
                                .requested = true,
                                .ended = node_.now - absl::Milliseconds(300),
                                .status = 200};
  node_.scheduler().Handle(early, node_.now);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Milliseconds(700));
  const schedule::Outcome future{.page = Page(2),
                                 .host = "a",
                                 .requested = true,
                                 .ended = node_.now + absl::Hours(9),
                                 .status = 200};
  node_.scheduler().Handle(future, node_.now);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
}

TEST_F(PolitenessTest, WithoutARequestTheHostIsReadyAtOnce) {
  node_.Offer("a", {1, 2});
  node_.Tick();
  node_.Settled(1);
  EXPECT_THAT(node_.Ordered(), ElementsAre(2));
}

TEST_F(PolitenessTest, APageThatOnlyGotRobotsTxtComesFirstAfterTheDelay) {
  node_.Offer("a", {1}, 5);
  node_.Tick();
  node_.Offer("a", {2}, 900);
  node_.Say(1, {.result = schedule::Result::kPostponed, .requested = true, .status = 200});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(1));
  EXPECT_EQ(node_.last_orders[0].page, Page(1));
}

TEST_F(PolitenessTest, ACrawlDelayHoldsForAllLaterFetches) {
  node_.Offer("a", {1, 2, 3});
  node_.Tick();
  node_.Say(1, {.requested = true, .status = 200, .crawl_delay = absl::Seconds(7)});
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(7));
  node_.Done(2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(7));
}

TEST_F(PolitenessTest, BackOffDoublesAndTheFailedPageGoesFirst) {
  node_.Offer("a", {1}, 1);
  node_.Offer("a", {2}, 0);
  node_.Tick();
  node_.Refused(1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(2));
  EXPECT_EQ(node_.last_orders[0].page, Page(1));
  node_.Refused(1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(4));
}

TEST_F(PolitenessTest, RetryAfterWinsWhenItIsLonger) {
  node_.Offer("a", {1});
  node_.Tick();
  node_.Busy(1, absl::Seconds(90));
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(90));
}

TEST_F(PolitenessTest, TheLastAttemptIsSaidToBeTheLast) {
  node_.Offer("a", {1});
  EXPECT_FALSE(node_.Tick()[0].last_attempt);
  node_.Refused(1);
  node_.NextPage();
  EXPECT_FALSE(node_.last_orders[0].last_attempt);
  node_.Refused(1);
  node_.NextPage();
  EXPECT_TRUE(node_.last_orders[0].last_attempt);
}

TEST_F(PolitenessTest, AnotherHostDoesNotWaitForOneThatBacksOff) {
  node_.Offer("a", {1, 2});
  node_.Tick();
  node_.Busy(1, absl::Minutes(30));
  node_.Offer("b", {3});
  EXPECT_THAT(node_.Ordered(), ElementsAre(3));
}

TEST_F(PolitenessTest, ANewDelayHoldsFromTheNextFetchOn) {
  node_.Offer("a", {1, 2});
  node_.Tick();
  ASSERT_TRUE(node_.scheduler().SetBudget(std::nullopt, absl::Seconds(3)).ok());
  node_.Done(1);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(3));
}

// ------------------------------------------------------------------------------------ silent hosts

TEST_F(PolitenessTest, AHostWithoutAnswersIsGivenUpAndItsPagesSettledWithoutDelay) {
  Begin({.attempts_max = 100});
  node_.Offer("a", {1, 2, 3});
  node_.Tick();
  for (int failure = 1; failure <= 5; ++failure) {
    node_.Silent(1);
    EXPECT_EQ(node_.NextPage(), 1u);
    EXPECT_FALSE(node_.last_orders[0].host_given_up);
  }
  node_.Silent(1);
  EXPECT_EQ(node_.status().hosts_given_up, 1u);
  for (uint64_t page : {1, 2, 3}) {
    const std::vector<schedule::Order> orders = node_.Tick();
    ASSERT_THAT(orders, SizeIs(1));
    EXPECT_EQ(orders[0].page, Page(page));
    EXPECT_TRUE(orders[0].host_given_up);
    node_.Settled(page);
  }
}

TEST_F(PolitenessTest, AfterADayAHostGivenUpIsTriedAgain) {
  Begin({.host_failures_max = 1});
  node_.Offer("a", {1});
  node_.Tick();
  node_.Silent(1);
  node_.now += absl::Hours(24);
  EXPECT_EQ(node_.status().hosts_given_up, 0u);
  ASSERT_EQ(node_.NextPage(), 1u);
  EXPECT_FALSE(node_.last_orders[0].host_given_up);
}

// Once each time that somebody wants it.
TEST_F(PolitenessTest, AHostGivenUpIsAskedOnceMoreWhenSomebodyWantsIt) {
  Begin({.attempts_max = 100, .host_failures_max = 2});
  node_.Offer("a", {1, 2});
  node_.Tick();
  node_.Silent(1);
  node_.NextPage();
  node_.Silent(1);
  node_.now += absl::Hours(1);
  ASSERT_EQ(node_.NextPage(), 1u);
  ASSERT_TRUE(node_.last_orders[0].host_given_up);
  node_.Settled(1);
  const auto try_again = [this](uint64_t told) {
    node_.scheduler().Handle(schedule::Rules{.given_up_again = told}, node_.now);
  };
  try_again(1);
  EXPECT_EQ(node_.status().hosts_given_up, 0u);
  ASSERT_EQ(node_.NextPage(), 2u);
  EXPECT_FALSE(node_.last_orders[0].host_given_up);
  node_.Silent(2);
  EXPECT_EQ(node_.status().hosts_given_up, 1u) << "it failed once more";
  for (const uint64_t told : {0, 1}) try_again(told);
  EXPECT_EQ(node_.status().hosts_given_up, 1u) << "nobody wants it anew";
  try_again(2);
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Seconds(8)) << "the back-off goes on";
  node_.Done(2);
  EXPECT_EQ(node_.status().hosts_given_up, 0u);
}

TEST_F(PolitenessTest, AnAnswerEndsGivingUp) {
  Begin({.host_failures_max = 2});
  node_.Offer("a", {1, 2});
  node_.Tick();
  node_.Silent(1);
  node_.NextPage();
  node_.Done(1);
  node_.NextPage();
  node_.Silent(2);
  EXPECT_EQ(node_.status().hosts_given_up, 0u);
}

// ------------------------------------------------------------------------------------ IP addresses

class AddressTest : public PolitenessTest {
 protected:
  // Hosts with page 100·i and 100·i + 1 whose address has been learnt; all may be asked again.
  void LearnAddresses(int hosts) {
    for (int i = 1; i <= hosts; ++i) {
      node_.Offer(absl::StrCat("h", i), {uint64_t(100 * i), uint64_t(100 * i + 1)});
    }
    node_.Tick();
    for (int i = 1; i <= hosts; ++i) node_.Done(uint64_t(100 * i), "192.0.2.1");
    node_.now += absl::Seconds(1);
  }
};

TEST_F(AddressTest, NoMoreFetchesAtOnceThanAnAddressMayHave) {
  Begin({.per_address_max = 2});
  LearnAddresses(5);
  EXPECT_THAT(node_.Ordered(), ElementsAre(101, 201));
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  node_.Done(201, "192.0.2.1");
  EXPECT_THAT(node_.Ordered(), ElementsAre(301));
}

TEST_F(AddressTest, StartsOfAnAddressAreADelayApart) {
  Begin({.address_delay = absl::Milliseconds(50)});
  LearnAddresses(3);
  EXPECT_THAT(node_.Ordered(), ElementsAre(101));
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Milliseconds(50));
  EXPECT_EQ(node_.TimeToNextOrder(), absl::Milliseconds(50));
}

TEST_F(AddressTest, AHostElsewhereDoesNotWaitForACrowdedAddress) {
  Begin({.per_address_max = 1});
  LearnAddresses(3);
  node_.Offer("elsewhere", {1});
  EXPECT_THAT(node_.Ordered(), UnorderedElementsAre(101, 1));
}

TEST_F(AddressTest, AHostThatMovedFreesItsOldAddress) {
  Begin({.per_address_max = 1});
  LearnAddresses(2);
  EXPECT_THAT(node_.Ordered(), ElementsAre(101));
  node_.Done(101, "192.0.2.2");
  EXPECT_THAT(node_.Ordered(), ElementsAre(201));
  EXPECT_EQ(node_.Explain("h1").address, "192.0.2.2");
}

TEST_F(AddressTest, AnAddressFoundBusyIsTriedAgainSoonAndLessAndLess) {
  node_.Offer("a", {1});
  node_.Tick();
  for (int millis : {100, 200, 400, 800, 1000, 1000}) {
    node_.AddressBusy(1, "192.0.2.9");
    EXPECT_EQ(node_.TimeToNextOrder(), absl::Milliseconds(millis));
  }
  EXPECT_EQ(node_.Explain("a").address, "192.0.2.9");
}

// ------------------------------------------------------------------------------------ the whole

TEST_F(PolitenessTest, NoMoreOrdersAreOutThanTheNodeCanFetch) {
  Begin({}, 2);
  for (int i = 1; i <= 5; ++i) node_.Offer(absl::StrCat("h", i), {uint64_t(i)});
  EXPECT_THAT(node_.Ordered(), ElementsAre(1, 2));
  node_.Done(1);
  EXPECT_THAT(node_.Ordered(), ElementsAre(3));
}

TEST_F(PolitenessTest, NoCapacityPausesAndCapacityResumes) {
  node_.Capacity(0);
  node_.Offer("a", {1});
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  EXPECT_EQ(node_.directive, std::nullopt);
  node_.Capacity(1);
  EXPECT_THAT(node_.Ordered(), ElementsAre(1));
}

TEST_F(PolitenessTest, ANodeWithoutNetworkIsNotOneThatIsPaused) {
  node_.Offer("a", {1});
  node_.LosesItsNetwork();
  EXPECT_EQ(node_.TimeToNextOrder(), std::nullopt);
  EXPECT_THAT(node_.status().idle_reason, testing::HasSubstr("has no network"));
  EXPECT_EQ(node_.Explain("a").reason, "The node has no network.");
  node_.Capacity(0);
  EXPECT_THAT(node_.status().idle_reason, testing::HasSubstr("paused"));
  node_.Capacity(1);
  EXPECT_THAT(node_.Ordered(), ElementsAre(1));
}

class BudgetTest : public PolitenessTest {
 protected:
  void Offer1000() {
    for (int i = 1; i <= 1000; ++i) node_.Offer(absl::StrCat("h", i), {uint64_t(i)});
  }
  int OrderedIn(absl::Duration span) {
    const absl::Time start = node_.now;
    int ordered = 0;
    while (node_.now < start + span) {
      ordered += static_cast<int>(node_.Tick().size());
      EXPECT_GT(node_.scheduler().next_wake(), node_.now);
      node_.now = node_.scheduler().next_wake();
    }
    return ordered;
  }
};

TEST_F(BudgetTest, IsExactOverTime) {
  Begin({.pages_per_s_max = 20}, 10'000);
  Offer1000();
  EXPECT_NEAR(OrderedIn(absl::Seconds(40)), 800, 4);
}

// Nodes of a cluster lend each other of their rates (schedule/refresh_demand.h).
TEST_F(BudgetTest, TheNodeSaysHowMuchOfItHolds) {
  Begin({.pages_per_s_max = 20}, 10'000);
  Offer1000();
  node_.scheduler().Handle(schedule::Capacity{.fetches_max = 10'000, .rate_factor = 0.25},
                           node_.now);
  EXPECT_NEAR(OrderedIn(absl::Seconds(20)), 100, 4);
  ASSERT_TRUE(node_.scheduler().SetBudget(10, std::nullopt).ok());
  EXPECT_NEAR(OrderedIn(absl::Seconds(20)), 50, 4) << "of the rate in force";
  node_.Hello(10'000);
  Offer1000();
  EXPECT_NEAR(OrderedIn(absl::Seconds(20)), 200, 4) << "another session begins with all of it";
}

TEST_F(PolitenessTest, AnOrderWithoutARequestGivesItsPlaceInTheBudgetBack) {
  Begin({.pages_per_s_max = 0.1});
  node_.Offer("a", {1, 2});
  EXPECT_THAT(node_.Ordered(), ElementsAre(1));
  node_.Settled(1);
  EXPECT_THAT(node_.Ordered(), ElementsAre(2));
}

TEST_F(PolitenessTest, ARateSetWhileRunningHolds) {
  ASSERT_TRUE(node_.scheduler().SetBudget(1, std::nullopt).ok());
  node_.Offer("a", {1});
  node_.Offer("b", {2});
  EXPECT_THAT(node_.Ordered(), ElementsAre(1));
  ASSERT_TRUE(node_.scheduler().SetBudget(0, std::nullopt).ok());
  EXPECT_THAT(node_.Ordered(), ElementsAre(2));
}

}  // namespace
}  // namespace opic::scheduler
