// Hosts on loan (schedule/lease_message.h): requests, leases, returns.
#include "tests/scheduler/lease_talk.h"

namespace opic::scheduler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(LeaseTest, AHostIsRequestedAndNotAskedBeforeItIsLent) {
  node(kHolder).Offer("a", {1});
  EXPECT_THAT(Requests(kHolder), ElementsAre("a"));
  EXPECT_THAT(Ordered(kHolder), IsEmpty());
}

// The node knows a lease by the time of its request, which comes back from other nodes over a wire.
TEST_F(LeaseTest, RequestsAreSentAtWholeMicroseconds) {
  node(kHolder).now += absl::Nanoseconds(123'456);
  node(kHolder).Offer("a", {1});
  const std::vector<schedule::LeaseMessage> messages = Messages(kHolder);
  ASSERT_THAT(messages, SizeIs(1));
  EXPECT_THAT(messages[0].requests, ElementsAre("a"));
  EXPECT_EQ(messages[0].sent, absl::FromUnixMicros(absl::ToUnixMicros(messages[0].sent)));
  EXPECT_NE(messages[0].sent, node(kHolder).now);
}

TEST_F(LeaseTest, ALentHostIsAsked) {
  node(kHolder).Offer("a", {1});
  Talk();
  EXPECT_THAT(Ordered(kHolder), ElementsAre(1));
}

TEST_F(LeaseTest, AHomeLendsItsHostsToItselfToo) {
  node(kHome).Offer("a", {1});
  Talk();
  EXPECT_THAT(Ordered(kHome), ElementsAre(1));
}

TEST_F(LeaseTest, WhileAHostIsOutNobodyElseAsksIt) {
  node(kHolder).Offer("a", {1});
  Talk();
  node(kHome).Offer("a", {2});
  Pass(absl::Seconds(15));
  EXPECT_THAT(Ordered(kHome), IsEmpty());
  node(kHolder).Done(1);
  EXPECT_EQ(TimeToOrder(kHome), absl::Seconds(1));
}

TEST_F(LeaseTest, TwoWhoRequestAHostHaveItInTurn) {
  node(kHolder).Offer("a", {1, 2, 3, 4, 5, 6});
  node(kHome).Offer("a", {11, 12, 13, 14, 15, 16});
  std::string turns;
  for (int i = 0; i < 10; ++i) {
    Pass(absl::Milliseconds(1010));
    for (size_t n : {kHome, kHolder}) {
      for (uint64_t page : Ordered(n)) turns += n == kHome ? 'h' : 'o', node(n).Done(page);
    }
  }
  EXPECT_GE(turns.size(), 8u);
  EXPECT_NE(turns.find("ho"), std::string::npos);
  EXPECT_NE(turns.find("oh"), std::string::npos);
}

TEST_F(LeaseTest, NothingIsOrderedWhenTheTurnIsOver) {
  node(kHolder).Offer("a", {1, 2, 3, 4, 5});
  Talk();
  connected_ = false;
  size_t orders = 0;
  for (int i = 0; i < 300; ++i) {
    for (uint64_t page : Ordered(kHolder)) ++orders, node(kHolder).Done(page);
    Pass(absl::Milliseconds(100));
  }
  EXPECT_EQ(orders, 2u) << "one at once, one after a second";
}

// It stands in line for its failed page when its lease ends; the offer comes before the next Tick.
TEST_F(LeaseTest, APageIsOfferedOfAHostInLineWhoseTurnIsOver) {
  node(kHolder).Reconfigure({.delay = absl::Milliseconds(100)});
  Hello(kHolder);
  Pass(kLapse);
  node(kHolder).Offer("a", {1});
  Talk();
  ASSERT_THAT(Ordered(kHolder), ElementsAre(1));
  node(kHolder).Capacity(0);
  node(kHolder).Broken(1);
  Talk();
  for (size_t n : {kHome, kHolder}) node(n).now += 2 * schedule::kLeaseTurn;
  node(kHolder).Offer("a", {2});
  node(kHolder).Capacity(100);
  for (int i = 0; i < 2; ++i) {
    ASSERT_LT(TimeToOrder(kHolder), absl::Minutes(1));
    for (uint64_t page : Ordered(kHolder)) node(kHolder).Done(page);
  }
}

TEST_F(LeaseTest, NothingIsOrderedWhenTheTermIsOver) {
  node(kHolder).Offer("a", {1, 2, 3});
  ASSERT_THAT(Requests(kHolder), ElementsAre("a"));
  const absl::Time requested = now();
  connected_ = false;
  Pass(schedule::kLeaseTerm - absl::Milliseconds(500));
  Lend("a", 7, requested);
  Talk();
  EXPECT_THAT(Ordered(kHolder), ElementsAre(1));
  node(kHolder).Done(1);
  Pass(absl::Seconds(5));
  EXPECT_THAT(Ordered(kHolder), IsEmpty());
}

TEST_F(LeaseTest, ALeaseThatWasLongOnItsWayGoesBackUnused) {
  node(kHolder).Offer("a", {1});
  ASSERT_THAT(Requests(kHolder), ElementsAre("a"));
  const absl::Time requested = now();
  connected_ = false;
  Pass(schedule::kLeaseTerm);
  Lend("a", 7, requested);
  EXPECT_THAT(Returns(kHolder), SizeIs(1));
  EXPECT_THAT(Ordered(kHolder), IsEmpty());
}

TEST_F(LeaseTest, AHostGoesBackWhenNothingOfItIsQueued) {
  node(kHolder).Offer("a", {1});
  Talk();
  node(kHolder).Done(1);
  EXPECT_THAT(Returns(kHolder), SizeIs(1));
}

TEST_F(LeaseTest, AHostGoesBackWhenItsTurnIsOver) {
  node(kHolder).Offer("a", {1, 2});
  Talk();
  connected_ = false;
  Pass(schedule::kLeaseTurn);
  EXPECT_THAT(Returns(kHolder), IsEmpty()) << "it is being asked";
  node(kHolder).Done(1);
  EXPECT_THAT(Returns(kHolder), SizeIs(1));
}

TEST_F(LeaseTest, AHostGoesBackWhenItsPauseWouldOutlastTheTurn) {
  node(kHolder).Offer("a", {1, 2});
  Talk();
  node(kHolder).Busy(1, absl::Seconds(30));
  EXPECT_THAT(Returns(kHolder), SizeIs(1));
}

TEST_F(LeaseTest, WhatOneHolderHasLearntHoldsForTheNext) {
  node(kHolder).Offer("a", {1});
  Talk();
  node(kHome).Offer("a", {2});
  node(kHolder).Busy(1, absl::Seconds(60));
  EXPECT_EQ(TimeToOrder(kHome), absl::Seconds(60));
}

TEST_F(LeaseTest, WhatTheHomeKnowsGoesWithTheLease) {
  node(kHome).Offer("a", {1});
  Talk();
  node(kHolder).Offer("a", {2});
  Talk();
  node(kHome).Silent(1);  // a back-off of two seconds
  EXPECT_EQ(TimeToOrder(kHolder), absl::Seconds(2));
  node(kHolder).Silent(2);
  EXPECT_EQ(node(kHolder).Explain("a").failures, 2);
}

TEST_F(LeaseTest, AHostThatDoesNotComeBackIsLentAfterItsLapseAndAFullPause) {
  node(kHolder).Offer("a", {1});
  Talk();
  node(kHome).Offer("a", {2});
  EXPECT_EQ(TimeToOrder(kHome), kLapse + absl::Seconds(1));
}

TEST_F(LeaseTest, WhatComesBackTooLateStillTeaches) {
  node(kHolder).Offer("a", {1});
  Talk();
  connected_ = false;
  Pass(kLapse);
  node(kHolder).Say(1, {.requested = true, .status = 200, .retry_after = absl::Seconds(60)});
  connected_ = true;
  Talk();
  node(kHome).Offer("a", {2});
  EXPECT_EQ(TimeToOrder(kHome), absl::Seconds(60));
}

TEST_F(LeaseTest, AReturnOfAnotherLoanEndsNone) {
  node(kHolder).Offer("a", {1});
  Talk();
  node(kHome).Offer("a", {2});
  Tell(kHolder, kHome, {.returns = {{.host = "a", .id = 1, .pace = EncodePaceToGo({}, now())}}});
  Pass(absl::Seconds(10));
  EXPECT_THAT(Ordered(kHome), IsEmpty());
}

TEST_F(LeaseTest, APaceThatCannotBeReadMeansAFullPause) {
  node(kHolder).Offer("a", {1});
  ASSERT_THAT(Requests(kHolder), SizeIs(1));
  Tell(kHolder, kHome, {.sent = now(), .requests = {"a"}});
  const std::vector<schedule::LeaseMessage> messages = Messages(kHome);
  ASSERT_THAT(messages, SizeIs(1));
  node(kHome).Offer("a", {2});
  Tell(kHolder, kHome, {.returns = {{.host = "a", .id = messages[0].leases[0].id, .pace = "?"}}});
  EXPECT_EQ(TimeToOrder(kHome), absl::Seconds(1));
}

TEST_F(LeaseTest, ALeaseWhosePaceCannotBeReadGoesBack) {
  node(kHolder).Offer("a", {1});
  ASSERT_THAT(Requests(kHolder), SizeIs(1));
  Tell(
      kHome, kHolder,
      {.leases = {
           {.host = "a", .id = 7, .requested = now(), .term = schedule::kLeaseTerm, .pace = "?"}}});
  EXPECT_THAT(Returns(kHolder), SizeIs(1));
  EXPECT_THAT(Ordered(kHolder), IsEmpty());
}

TEST_F(LeaseTest, ARequestIsRepeated) {
  connected_ = false;
  node(kHolder).Offer("a", {1});
  EXPECT_THAT(Requests(kHolder), SizeIs(1));
  Pass(schedule::kLeaseRequestAgain - absl::Seconds(1));
  EXPECT_THAT(Requests(kHolder), IsEmpty());
  node(kHolder).now += absl::Seconds(1);
  EXPECT_THAT(Requests(kHolder), SizeIs(1));
}

TEST_F(LeaseTest, AnOldRequestIsForgotten) {
  node(kHome).Offer("a", {1});
  Talk();
  Tell(kHolder, kHome, {.sent = now(), .requests = {"a"}});
  Pass(schedule::kLeaseRequestLifetime + absl::Seconds(1));
  node(kHome).Done(1);
  Pass(absl::Seconds(2));
  node(kHome).Offer("a", {2});
  EXPECT_EQ(TimeToOrder(kHome), absl::ZeroDuration());
}

TEST_F(LeaseTest, WithTheSessionOfANodeItsRequestsAreForgotten) {
  node(kHome).Offer("a", {1});
  Talk();
  Tell(kHolder, kHome, {.sent = now(), .requests = {"a"}});
  node(kHome).scheduler().Handle(schedule::LeaseMessage{.peer = NodeId{kHolder}, .process = 0},
                                 now());
  node(kHome).Done(1);
  Pass(absl::Seconds(1));
  node(kHome).Offer("a", {2});
  EXPECT_EQ(TimeToOrder(kHome), absl::ZeroDuration());
}

TEST_F(LeaseTest, PausedFetchingRequestsNothing) {
  node(kHolder).Capacity(0);
  node(kHolder).Offer("a", {1});
  EXPECT_THAT(Requests(kHolder), IsEmpty());
  node(kHolder).Capacity(10);
  EXPECT_THAT(Requests(kHolder), ElementsAre("a"));
}

TEST_F(LeaseTest, StrangeMessagesAreTaken) {
  const std::string pace = EncodePaceToGo({}, now());
  Tell(kHolder, kHome, {.sent = now(), .requests = {"", std::string(256, 'a')}});
  Tell(kHolder, kHome, {.returns = {{.host = "", .id = 1}, {.host = "unknown", .id = 9}}});
  Tell(kHolder, kHome, {.returns = {{.host = std::string(1000, 'a'), .id = 1, .pace = pace}}});
  node(kHome).scheduler().Handle(schedule::LeaseMessage{.peer = NodeId{999}, .process = 1}, now());
  node(kHome).scheduler().Handle(
      schedule::LeaseMessage{.peer = NodeId{999}, .process = 1, .clear_before = 1}, now());
  node(kHome).scheduler().Handle(schedule::LeaseMessage{.process = 1, .requests = {"a"}}, now());
  for (const schedule::LeaseMessage& message : Messages(kHome))
    EXPECT_THAT(message.leases, IsEmpty());
  Lend("unknown", 7, now());
  EXPECT_THAT(Returns(kHolder), SizeIs(1));
}

}  // namespace
}  // namespace opic::scheduler
