// Shards that several nodes believe to be theirs, or that more than one move brings: a folder ran
// twice, or a node has not heard of the last one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ledger/moving_ledgers.h"

namespace opic::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ContestedMovesTest : public MovingLedgers {};

// The folder that A had the shard from ran twice, and has sent it to C as well.
TEST_F(ContestedMovesTest, PiecesOfAnotherMoveThanTheOneThatArrivesArePaidAsCash) {
  MoveHalf();
  const cash::Sum before = Total();
  TransferBatch other = Next(kA, kB);
  other.from = kC, other.to = kB;
  other.sequence = at(kB).peers().book(kC).applied + 1;
  other.cash_before = 0, other.cash_after = other.Carried();
  ASSERT_FALSE(other.chunk->pages.empty());
  ASSERT_EQ(at(kB).Receive(other).value(), Receipt::kTaken);
  EXPECT_NE(at(kB).restating().due(), other.chunk->pages[0].history.empty());
  Commit(kB);
  EXPECT_THAT(at(kB).placements().arriving(), ElementsAre(kShard));
  const cash::Sum brought = other.chunk->pages[0].cash.value().units();
  EXPECT_EQ(cash::ToString(Total()), cash::ToString(before + brought));
  Deliver(kA, kB);
  EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kB);
}

// Both copies have sent the shard on, and C, which had it from one of them, sends it as a later
// move than the one that has begun.
TEST_F(ContestedMovesTest, ALaterMoveTakesThePlaceOfTheOneThatIsArriving) {
  MoveHalf();
  ASSERT_EQ(PagesAt(kB).size(), 1u);
  const TransferBatch rest = Next(kA, kB);
  ASSERT_TRUE(at(kC).moves().Learn({{kShard, kC, 1}}).ok());
  Commit(kC);
  for (const uint64_t page : {0, 4, 8}) {
    TransferBatch named{.cluster_id = at(kC).charter().cluster_id, .from = kA, .to = kC};
    named.method = method_;
    named.sequence = at(kC).peers().book(kA).applied + 1;
    named.cash_before = at(kC).peers().book(kA).applied_cash;
    named.transfers = {{SmallCrawl::Page(page), cash::Amount(100), SmallCrawl::UrlOf(page), 1}};
    named.cash_after = named.cash_before + 100;
    ASSERT_EQ(at(kC).Receive(named).value(), Receipt::kTaken);
    Commit(kC);
  }
  const cash::Sum before = Total();
  ASSERT_TRUE(at(kC).moves().Depart(kShard, kB, "hosts").ok());
  Commit(kC);
  Deliver(kC, kB);
  EXPECT_THAT(at(kB).placements().arriving(), IsEmpty());
  EXPECT_EQ(at(kB).placements().move(kShard), 2u);
  EXPECT_EQ(PagesAt(kB).size(), 3u);
  ASSERT_EQ(at(kB).Receive(rest).value(), Receipt::kTaken) << "it is of the earlier move";
  Commit(kB);
  EXPECT_EQ(PagesAt(kB).size(), 3u);
  EXPECT_EQ(cash::ToString(Total()), cash::ToString(before));
  const Pages pages = PagesAt(kB);
  Open(kB);
  EXPECT_EQ(PagesAt(kB), pages);
}

// Who wins by the number of the node at equal numbers of moves tells it to who was told the other.
TEST_F(ContestedMovesTest, AnOwnerByTheSameMoveIsNews) {
  MoveHalf();
  ASSERT_TRUE(at(kB).moves().Learn({{kShard, kA, 1}}).ok());
  Commit(kB);
  const uint64_t known_before = at(kB).placements().changes();
  Deliver(kA, kB);
  EXPECT_THAT(at(kB).moves().PlacementsSince(known_before), ElementsAre(Placement{kShard, kB, 1}));
}

// It left again and came back meanwhile: what is told of its hosts now was not taken over.
TEST_F(ContestedMovesTest, HostsThatWereNotAskedForAreNotApplied) {
  Crawl();
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "hosts").ok());
  Commit(kA);
  Deliver(kA, kB);
  at(kB).moves().HostsApplied(kShard);
  Commit(kB);
  EXPECT_FALSE(at(kB).moves().Workable(kShard));
  TakeHosts(kB);
  EXPECT_TRUE(at(kB).moves().Workable(kShard));
}

TEST_F(ContestedMovesTest, AVisitedPageThatIsPaidAsCashMakesRestatingDue) {
  MoveHalf();
  ASSERT_FALSE(at(kB).restating().due());
  ASSERT_TRUE(at(kB).moves().Learn({{kShard, kC, 4}}).ok());
  EXPECT_TRUE(at(kB).restating().due()) << "page 0 was visited";
  Commit(kB);
  Open(kB);
  EXPECT_TRUE(at(kB).restating().due());
}

TEST_F(ContestedMovesTest, WhoIsToldThatAnArrivingShardIsHereByALaterMoveOwnsItWhenItIsWhole) {
  MoveHalf();
  ASSERT_TRUE(at(kB).moves().Learn({{kShard, kB, 4}}).ok());
  Commit(kB);
  for (const bool again : {false, true}) {
    if (again) Open(kB);
    EXPECT_THAT(at(kB).placements().arriving(), ElementsAre(kShard));
    EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kA);
    EXPECT_FALSE(at(kB).moves().Workable(kShard));
  }
  Deliver(kA, kB);
  TakeHosts(kB);
  EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kB);
  EXPECT_EQ(at(kB).placements().move(kShard), 4u);
  EXPECT_TRUE(at(kB).moves().Workable(kShard));
  EXPECT_EQ(PagesAt(kB).size(), 3u);
}

TEST_F(ContestedMovesTest, AnArrivingShardThatAnotherNodeHasByALaterMoveIsPaidToIt) {
  MoveHalf();
  ASSERT_EQ(PagesAt(kB).size(), 1u);
  const cash::Sum before = Total();
  ASSERT_TRUE(at(kB).moves().Learn({{kShard, kC, 4}}).ok());
  Commit(kB);
  EXPECT_THAT(at(kB).placements().arriving(), IsEmpty());
  EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kC);
  EXPECT_EQ(PagesAt(kB).size(), 0u);
  Open(kB);
  Deliver(kA, kB);
  EXPECT_EQ(PagesAt(kB).size(), 0u) << "the rest goes the same way";
  ASSERT_TRUE(at(kC).moves().Learn({{kShard, kC, 4}}).ok());
  Commit(kC);
  DeliverAll();
  EXPECT_EQ(PagesAt(kC).size(), 3u);
  EXPECT_EQ(cash::ToString(Total()), cash::ToString(before));
}

}  // namespace
}  // namespace opic::ledger
