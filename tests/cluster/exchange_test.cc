#include "cluster/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/cut_sum.h"
#include "tests/cluster/exchange_pair.h"

namespace opic::cluster {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ExchangeTest : public ExchangePair {};

TEST_F(ExchangeTest, PartsOfPlansGoOnlyToThoseThatUnderstandThem) {
  const auto told = [this] {
    sent(0).clear();
    exchange(0).Say(NodeId{1}, {.plan = 1});
    return SentOf<PlanPart>(0).size();
  };
  EXPECT_EQ(told(), 0u) << "they have not met";
  Meet();
  EXPECT_TRUE(exchange(0).PlansTogether(NodeId{1}));
  EXPECT_EQ(told(), 1u);
  Connect();
  for (Message& message : sent(1)) std::get<Hello>(message).plans_together = false;
  Exchange10();
  EXPECT_TRUE(exchange(0).IsConnected(NodeId{1}));
  EXPECT_FALSE(exchange(0).PlansTogether(NodeId{1}));
  EXPECT_EQ(told(), 0u);
}

TEST_F(ExchangeTest, NothingIsSaidBeforeTheOthersHello) {
  Connect();
  FetchAcross();
  EXPECT_THAT(SentOf<Hello>(0), SizeIs(1));
  EXPECT_THAT(sent(0), SizeIs(1));
  EXPECT_FALSE(status(0).connected);
}

TEST_F(ExchangeTest, WhatWasSealedBeforeTheSessionIsSentInIt) {
  FetchAcross();
  Meet();
  EXPECT_TRUE(status(0).connected && status(1).connected);
  EXPECT_TRUE(ledger(1).books().table().Find(SmallCrawl::Page(1)).has_value());
  EXPECT_EQ(status(0).unacknowledged, 0u);
  EXPECT_EQ(status(0).outbox_bytes, 0u);
  EXPECT_TRUE(Held(0) + Held(1) == cash::kSupply.units());
}

// R1.
TEST_F(ExchangeTest, ABatchIsNotSentBeforeTheCommitHasReturned) {
  Meet();
  ledger(0).Seed(SmallCrawl::Links({1}));
  exchange(0).BeforeCommit(false, now_);
  EXPECT_THAT(SentOf<Sealed>(0), IsEmpty());
  Commit(0);
  EXPECT_THAT(SentOf<Sealed>(0), SizeIs(1));
}

// R2.
TEST_F(ExchangeTest, ABatchIsAcknowledgedAfterTheCommitThatHoldsIt) {
  Meet();
  PayAcross();
  ASSERT_TRUE(Give(1, sent(0).front()).ok());
  EXPECT_THAT(SentOf<Acknowledgement>(1), IsEmpty());
  Commit(1);
  ASSERT_THAT(SentOf<Acknowledgement>(1), SizeIs(1));
  EXPECT_EQ(SentOf<Acknowledgement>(1)[0].applied, 1u);
}

TEST_F(ExchangeTest, AtMostAWindowOfBatchesIsUnderWay) {
  Meet();
  for (int i = 0; i < 20; ++i) PayAcross();
  EXPECT_THAT(SentOf<Sealed>(0), SizeIs(8));
  EXPECT_EQ(status(0).unacknowledged, 20u);
  Deliver(1);
  Deliver(0);
  EXPECT_THAT(SentOf<Sealed>(0), SizeIs(8)) << "the next ones, from the store";
  Exchange10();
  EXPECT_EQ(ledger(1).peers().book(NodeId{0}).applied, 20u);
  EXPECT_EQ(status(0).batches_sent, 20u);
}

TEST_F(ExchangeTest, WhatABrokenSessionLostIsSentAgainByteForByte) {
  Meet();
  PayAcross();
  const std::vector<Sealed> lost = SentOf<Sealed>(0);
  for (uint16_t n = 0; n < 2; ++n) exchange(n).OnDisconnected(Other(n));
  Connect();
  Deliver(0);
  ASSERT_THAT(SentOf<Sealed>(0), SizeIs(1));
  EXPECT_EQ(SentOf<Sealed>(0)[0].bytes, lost[0].bytes);
  EXPECT_EQ(status(0).batches_resent, 1u);
}

TEST_F(ExchangeTest, ARestartedSenderGoesOnFromItsStore) {
  Meet();
  PayAcross();
  Open(0);
  Meet();
  EXPECT_EQ(ledger(1).peers().book(NodeId{0}).applied, 1u);
  EXPECT_EQ(status(0).unacknowledged, 0u);
  EXPECT_EQ(status(0).alarm, "");
}

TEST_F(ExchangeTest, ARepeatedBatchIsAcknowledgedAgainAndNotPaid) {
  Meet();
  PayAcross();
  const Message batch = sent(0).front();
  Deliver(1);
  const cash::Sum held = Held(1);
  sent(1).clear();
  ASSERT_TRUE(Give(1, batch).ok());
  Commit(1);
  EXPECT_TRUE(Held(1) == held);
  ASSERT_THAT(SentOf<Acknowledgement>(1), SizeIs(1));
  EXPECT_EQ(SentOf<Acknowledgement>(1)[0].applied, 1u);
  EXPECT_EQ(status(1).batches_repeated, 1u);
}

TEST_F(ExchangeTest, AGapEndsTheSession) {
  Meet();
  PayAcross();
  PayAcross();
  ASSERT_TRUE(Give(1, sent(0)[1]).ok());
  EXPECT_EQ(ends_[1].disconnects, 1);
  EXPECT_EQ(status(1).alarm, "");
  ASSERT_TRUE(Give(1, sent(0)[0]).ok());
  Commit(1);
  EXPECT_EQ(ledger(1).peers().book(NodeId{0}).applied, 0u) << "the session is over";
  Meet();
  EXPECT_EQ(ledger(1).peers().book(NodeId{0}).applied, 2u);
}

TEST_F(ExchangeTest, AnOldAcknowledgementChangesNothing) {
  Meet();
  PayAcross();
  PayAcross();
  Exchange10();
  ASSERT_TRUE(Give(0, Acknowledgement{1, 0, {}}).ok());
  EXPECT_EQ(status(0).alarm, "");
  EXPECT_EQ(status(0).unacknowledged, 0u);
}

TEST_F(ExchangeTest, MessagesOfASessionThatHasEndedAreDropped) {
  Meet();
  PayAcross();
  exchange(1).OnDisconnected(NodeId{0});
  Deliver(1);
  EXPECT_EQ(ledger(1).peers().book(NodeId{0}).applied, 0u);
}

TEST_F(ExchangeTest, MessagesBeforeTheHelloAreDropped) {
  Meet();
  PayAcross();
  const Message batch = sent(0).front();
  Connect();
  ASSERT_TRUE(Give(1, batch).ok());
  ASSERT_TRUE(Give(1, Acknowledgement{}).ok());
  Commit(1);
  EXPECT_EQ(ledger(1).peers().book(NodeId{0}).applied, 0u);
  EXPECT_EQ(status(1).alarm, "");
}

TEST_F(ExchangeTest, AnIdleChannelCarriesSums) {
  Meet();
  sent(0).clear();
  now_ = exchange(0).next_wake();
  Commit(0);
  ASSERT_THAT(Acknowledged(0), SizeIs(1));
  EXPECT_GT(exchange(0).next_wake(), now_);
}

TEST_F(ExchangeTest, SumsThatThePeerHasHeardAreRepeatedSeldom) {
  Meet();
  Exchange10(/*idle=*/true);
  now_ += absl::Seconds(1);
  Exchange10(/*idle=*/true);
  ASSERT_TRUE(exchange(0).all_idle());
  EXPECT_GE(exchange(0).next_wake(), now_ + exchange_options_.sums_every);
  EXPECT_LE(exchange(0).next_wake(), now_ + exchange_options_.same_sums_every);
  sent(0).clear();
  now_ += exchange_options_.sums_every;
  Commit(0, /*idle=*/true);
  EXPECT_THAT(sent(0), IsEmpty());

  Commit(0, /*idle=*/false);  // told at once
  sent(0).clear();
  ledger(0).Seed(SmallCrawl::Links({2}));
  Commit(0, /*idle=*/false);
  EXPECT_THAT(sent(0), IsEmpty());
  EXPECT_LE(exchange(0).next_wake(), now_ + exchange_options_.sums_every);
  now_ = exchange(0).next_wake();
  Commit(0, /*idle=*/false);
  ASSERT_THAT(Acknowledged(0), SizeIs(1));
  EXPECT_EQ(Acknowledged(0).at(0).sums.pages, ledger(0).Sums().pages);
}

// All have said that they are idle, and none has anything to say: who waits for the second period
// must not wait for a message.
TEST_F(ExchangeTest, TheEndOfTheSecondPeriodWakesTheNode) {
  Meet();
  Exchange10(/*idle=*/true);
  ASSERT_FALSE(exchange(0).all_idle());
  EXPECT_LE(exchange(0).next_wake(), now_ + 2 * exchange_options_.sums_every);
}

TEST_F(ExchangeTest, TheClockOfTheClusterIsTheSumOfItsNodes) {
  FetchAcross();
  Meet();
  EXPECT_GT(ledger(0).books().clock(), 0u);
  EXPECT_TRUE(ledger(1).cluster().clock() == ledger(0).books().clock());
  EXPECT_EQ(ledger(1).cluster().pages(), 2u);
}

TEST_F(ExchangeTest, AFullOutboxTellsSo) {
  exchange_options_.outbox_bytes_max = 200;
  Open(0);
  PayAcross();
  EXPECT_FALSE(exchange(0).outbox_full());
  PayAcross();
  PayAcross();
  EXPECT_TRUE(exchange(0).outbox_full());
  Meet();
  EXPECT_FALSE(exchange(0).outbox_full());
}

// The virtual page's shares.

// 60 pages here, 120 there; a page that is gone pays all its cash to the virtual page of its node.
TEST_F(ExchangeTest, TheVirtualPageIsSharedInProportionToPages) {
  Meet();
  std::vector<uint64_t> pages;
  for (uint64_t n = 0; n < 60; ++n) pages.insert(pages.end(), {2 * n, 4 * n + 1, 4 * n + 3});
  ledger(0).Seed(SmallCrawl::Links(pages));
  for (int round = 0; round < 60; ++round) {
    now_ += absl::Seconds(1);
    Commit(0);
    Deliver(1);
    Deliver(0);
  }
  const double before = static_cast<double>(ledger(1).books().virtual_page().units());
  const double cash = static_cast<double>(
      ledger(0).books().table().Find(SmallCrawl::Page(0))->cash.value().units());
  const ledger::Visit gone{SmallCrawl::Page(0), ledger::VisitKind::kGone, 404};
  ASSERT_TRUE(ledger(0).Record({gone}).ok());
  now_ += absl::Seconds(1);
  Commit(0);
  now_ += absl::Seconds(1);
  Commit(0);
  Deliver(1);
  const double there = static_cast<double>(ledger(1).books().virtual_page().units()) - before;
  EXPECT_NEAR(there / cash, 120.0 / 180, 0.001);
  EXPECT_TRUE(Held(0) + Held(1) == cash::kSupply.units());
}

TEST_F(ExchangeTest, WhoIsNotConnectedIsPaidItsShareLater) {
  ledger(0).Seed(SmallCrawl::Links({0, 1}));
  Meet();
  for (uint16_t n = 0; n < 2; ++n) exchange(n).OnDisconnected(Other(n));
  const cash::Sum held = Held(0);
  ASSERT_TRUE(ledger(0).Record({{SmallCrawl::Page(0), ledger::VisitKind::kGone, 404}}).ok());
  now_ += absl::Seconds(1);
  Commit(0);
  EXPECT_TRUE(Held(0) == held);
  Meet();
  now_ += absl::Seconds(1);
  Commit(0);
  EXPECT_TRUE(Held(0) < held);
}

// Cuts.

TEST_F(ExchangeTest, ACutInTheMiddleOfTrafficFindsTheSupply) {
  Meet();
  PayAcross();
  FetchAcross();
  ASSERT_TRUE(Give(1, sent(0).front()).ok());  // the second one is under way
  const std::vector<ledger::Cut> parts = {exchange(0).TakeCut(1).value(),
                                          exchange(1).TakeCut(1).value()};
  const CutSum sum = SumOf(parts);
  EXPECT_FALSE(sum.torn.has_value());
  EXPECT_TRUE(sum.total() == cash::kSupply.units());
  EXPECT_TRUE(sum.expected == cash::kSupply.units());
  EXPECT_GT(sum.in_flight, 0u);
  EXPECT_EQ(sum.in_flight_batches, 1u);
}

// The batch that tells of the epoch was sealed after the sender's cut.
TEST_F(ExchangeTest, ALaterEpochIsEnteredBeforeTheBatchIsApplied) {
  Meet();
  ASSERT_TRUE(exchange(0).TakeCut(4).ok());
  PayAcross();
  Deliver(1);
  EXPECT_EQ(ledger(1).epoch(), 4u);
  EXPECT_EQ(ledger(1).cut().channels[0].book.applied, 0u);
  EXPECT_EQ(ledger(1).peers().book(NodeId{0}).applied, 1u);
  EXPECT_EQ(exchange(1).TakeCut(4)->epoch, 4u);
}

TEST_F(ExchangeTest, ALaterEpochIsEnteredBeforeAnAcknowledgementIsTaken) {
  Meet();
  PayAcross();
  ASSERT_TRUE(exchange(1).TakeCut(1).ok());
  Deliver(1);
  Deliver(0);
  EXPECT_EQ(ledger(0).epoch(), 1u);
  EXPECT_THAT(ledger(0).cut().channels[0].retained, SizeIs(1));
  EXPECT_EQ(status(0).unacknowledged, 0u);
}

TEST_F(ExchangeTest, AnEarlierEpochIsOver) {
  ASSERT_TRUE(exchange(0).TakeCut(5).ok());
  EXPECT_TRUE(absl::IsAborted(exchange(0).TakeCut(4).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(exchange(0).TakeCut(0).status()));
}

TEST_F(ExchangeTest, ARestartInTheMiddleOfAnAuditShows) {
  Meet();
  std::vector<ledger::Cut> parts = {exchange(0).TakeCut(1).value()};
  Open(0);  // forgets the epoch
  Meet();
  PayAcross();
  Deliver(1);
  parts.push_back(exchange(1).TakeCut(1).value());
  ASSERT_TRUE(SumOf(parts).torn.has_value());
  EXPECT_EQ(SumOf(parts).torn->from, NodeId{0});
}

// The end of fetching.

TEST_F(ExchangeTest, TheClusterIsIdleWhenEveryNodeHasSaidSoForTwoPeriods) {
  Meet();
  Exchange10(/*idle=*/true);
  EXPECT_FALSE(exchange(0).all_idle());
  now_ += absl::Seconds(1);
  Exchange10(/*idle=*/true);
  EXPECT_TRUE(exchange(0).all_idle() && exchange(1).all_idle());
  Commit(1, /*idle=*/false);
  Deliver(0, /*idle=*/true);
  EXPECT_FALSE(exchange(0).all_idle());
}

TEST_F(ExchangeTest, ANodeThatWaitsForAPageToArriveIsNotIdle) {
  Meet();
  Exchange10(/*idle=*/true);
  ledger(0).Seed(SmallCrawl::Links({1}));
  Commit(0, /*idle=*/true);
  now_ += absl::Seconds(1);
  Commit(0, /*idle=*/true);
  EXPECT_FALSE(Acknowledged(0).back().sums.idle);
  Exchange10(/*idle=*/true);
  now_ += absl::Seconds(1);
  Exchange10(/*idle=*/true);
  EXPECT_TRUE(exchange(0).all_idle());
}

TEST_F(ExchangeTest, ARestartedNodeDoesNotForgetThatAPageIsUnderWay) {
  PayAcross();
  Open(0);
  Commit(0, /*idle=*/true);
  Connect();
  EXPECT_FALSE(SentOf<Hello>(0).at(0).sums.idle);
}

// It decided to be idle before it knew of the page.
TEST_F(ExchangeTest, ANodeThatHasJustGotAPageIsNotIdle) {
  Meet();
  Exchange10(/*idle=*/true);
  ledger(0).Seed(SmallCrawl::Links({1}));
  Commit(0, /*idle=*/true);
  Deliver(1, /*idle=*/true);
  EXPECT_FALSE(Acknowledged(1).back().sums.idle);
}

// A lost folder.

TEST_F(ExchangeTest, TheSuccessorOfALostFolderGetsWhatWasUnderWay) {
  Meet();
  PayAcross();
  ASSERT_TRUE(Give(0, Sealed{1, "garbage"}).ok());
  ASSERT_TRUE(exchange(0).BeginAnew(NodeId{1}, 2, now_).ok());
  EXPECT_EQ(status(0).alarm, "");
  EXPECT_EQ(status(0).unacknowledged, 1u);
  const uint64_t bytes = ledger(0).peers().retained(NodeId{1}).front().bytes;
  EXPECT_EQ(status(0).outbox_bytes, bytes);
  Hello hello;
  hello.cluster_id = 42;
  hello.format_version = ledger::kExchangeVersion;
  hello.from = NodeId{1};
  hello.to = NodeId{0};
  hello.generation = 2;
  hello.birth = 99;
  exchange(0).OnConnected(NodeId{1}, now_);
  ASSERT_TRUE(Give(0, hello).ok());
  EXPECT_EQ(status(0).alarm, "");
  sent(0).clear();
  Commit(0);
  ASSERT_THAT(SentOf<Sealed>(0), SizeIs(1));
  EXPECT_EQ(SentOf<Sealed>(0)[0].sequence, 1u);
}

}  // namespace
}  // namespace opic::cluster
