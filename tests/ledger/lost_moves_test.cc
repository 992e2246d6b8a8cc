// Moves to, from and past nodes whose data folders are lost (Ledger::BeginAnew).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ledger/moving_ledgers.h"

namespace opic::ledger {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class LostMovesTest : public MovingLedgers {};

// The receiver's folder is lost when it had a part: its successor gets the rest.
TEST_F(LostMovesTest, TheRestOfAMoveGoesToTheSuccessorOfALostReceiver) {
  ASSERT_NO_FATAL_FAILURE(MoveHalf());
  stores_[1] = std::make_unique<CrashingStore>();
  folder_ += "-later";
  generation_[1] = 2;
  Open(kB);
  ASSERT_TRUE(at(kA).BeginAnew(kB, 2).ok());
  Commit(kA);
  EXPECT_THAT(at(kA).moves().PlacementsSince(0), IsEmpty()) << "the end mark is still under way";
  Deliver(kA, kB);
  EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kB);
  EXPECT_EQ(PagesAt(kB).size(), 2u) << "of three";
}

// The sender's folder is lost: what had arrived stays, and the receiver owns the shard.
TEST_F(LostMovesTest, AHalfArrivedShardOfALostNodeIsOwnedByItsReceiver) {
  ASSERT_NO_FATAL_FAILURE(MoveHalf("hosts"));
  ASSERT_TRUE(at(kB).BeginAnew(kA, 2).ok());
  Commit(kB);
  EXPECT_THAT(at(kB).placements().arriving(), IsEmpty());
  EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kB);
  const std::vector<ArrivedShard> arrived = at(kB).moves().TakeArrived();
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].hosts, "");
  EXPECT_THAT(at(kB).moves().PlacementsSince(0), ElementsAre(Placement{kShard, kB, 1}));
}

// The successor of a lost node thinks that it has what the map gives it, and hears better.
TEST_F(LostMovesTest, ASuccessorSurrendersWhatWasMovedAwayBefore) {
  Crawl();
  Move(kA, kB);
  stores_[0] = std::make_unique<CrashingStore>();
  folder_ += "-later";
  generation_[0] = 2;
  Open(kA);
  EXPECT_FALSE(at(kA).moves().Workable(kShard)) << "it has not met its peers";
  at(kA).Seed(SmallCrawl::Links({4, 12}));
  Commit(kA);
  for (NodeId peer : {kB, kC}) {
    ASSERT_TRUE(at(kA).moves().Learn(at(peer).moves().PlacementsSince(0)).ok());
    at(kA).Meet(peer, 1, 5);
    Commit(kA);
  }
  EXPECT_EQ(at(kA).placements().OwnerOf(kShard), kB);
  EXPECT_TRUE(at(kA).moves().Workable(ShardId{3}));
  EXPECT_EQ(PagesAt(kA).size() + RowsAt(kA), 0u);
  ASSERT_TRUE(at(kB).BeginAnew(kA, 2).ok());
  Commit(kB);
  Deliver(kA, kB);
  EXPECT_TRUE(Knows(kB, 12));
  Open(kA);
  EXPECT_TRUE(at(kA).moves().Workable(ShardId{3})) << "after a restart";
}

TEST_F(LostMovesTest, ASuccessorKeepsWhatIsItsOwnByTheMapAndByTheLastMove) {
  Crawl();
  Move(kA, kB);
  Move(kB, kA);
  ASSERT_NO_FATAL_FAILURE(Lose(kA));
  at(kA).Seed(SmallCrawl::Links({4, 12}));
  Commit(kA);
  const size_t pages = PagesAt(kA).size();
  ASSERT_GT(pages, 0u);
  ASSERT_TRUE(at(kA).moves().Learn({{Placement{kShard, kA, 2}}}).ok());
  Commit(kA);
  EXPECT_EQ(PagesAt(kA).size(), pages);
  EXPECT_EQ(at(kA).placements().move(kShard), 2u);
}

TEST_F(LostMovesTest, ASuccessorOwnsWhatWasMovedToTheLostNode) {
  Crawl();
  Move(kA, kB);
  TellPlacements(kB, kC);
  stores_[1] = std::make_unique<CrashingStore>();
  folder_ += "-later";
  generation_[1] = 2;
  Open(kB);
  EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kA) << "by the map";
  for (NodeId peer : {kA, kC}) {
    ASSERT_TRUE(at(peer).BeginAnew(kB, 2).ok());
    Commit(peer);
    ASSERT_TRUE(at(kB).moves().Learn(at(peer).moves().PlacementsSince(0)).ok());
    at(kB).Meet(peer, 1, 5);
    Commit(kB);
  }
  EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kB);
  EXPECT_TRUE(at(kB).moves().Workable(kShard));
}

// What passed between two lost folders is known to the first one's successor.
TEST_F(LostMovesTest, FoldersLostOneAfterTheOtherLeaveTheTotal) {
  Crawl();
  ASSERT_TRUE(at(kB).Record({SmallCrawl::Fetched(1, {0, 2, 4})}).ok());
  Commit(kB);
  DeliverAll();
  for (NodeId lost : {kB, kA, kC, kB, kB}) {
    ASSERT_NO_FATAL_FAILURE(Lose(lost));
    EXPECT_EQ(Total(), cash::kSupply.units()) << "after the loss of node " << lost.value;
    at(lost).Seed(SmallCrawl::Links({uint64_t{lost.value}}));
    Commit(lost);
    const uint64_t others = (lost.value + 1) % 3;
    ASSERT_TRUE(at(lost).Record({SmallCrawl::Fetched(lost.value, {others, others + 1})}).ok());
    Commit(lost);
    DeliverAll();
    EXPECT_EQ(Total(), cash::kSupply.units());
  }
  for (NodeId node : {kA, kB, kC}) Open(node);
  EXPECT_EQ(Total(), cash::kSupply.units()) << "after restarts";
}

// A's shard went to B and on to C; B's disk died before A heard of it, so A seals anew for B's
// successor what C has already. Until the successor's debt is worked off, the others hold more than
// there is.
TEST_F(LostMovesTest, APageMayHoldMoreThanTheSupplyWhichALostFoldersSuccessorOwes) {
  for (const uint64_t seed : {0, 4}) {
    at(kA).Seed(SmallCrawl::Links({seed}));
    Commit(kA);
  }
  ASSERT_TRUE(at(kA).Record({SmallCrawl::Fetched(4, {0})}).ok());
  Commit(kA);
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "hosts").ok());
  Commit(kA);
  while (Waiting(kA, kB) > 0) {
    ASSERT_EQ(at(kB).Receive(Next(kA, kB)).value(), Receipt::kTaken);
    Commit(kB);
  }
  TakeHosts(kB);
  ASSERT_NO_FATAL_FAILURE(Move(kB, kC));
  ASSERT_NO_FATAL_FAILURE(Lose(kB));
  TellPlacements(kC, kB);
  ASSERT_NO_FATAL_FAILURE(Deliver(kA, kB));
  ASSERT_NO_FATAL_FAILURE(Deliver(kB, kC));

  const auto held = [this] {
    return at(kC).books().table().Find(SmallCrawl::Page(0))->cash.value();
  };
  EXPECT_GT(held(), cash::kSupply);
  EXPECT_LT(at(kB).books().virtual_page(), cash::Amount());
  EXPECT_EQ(Total(), cash::kSupply.units());
  const cash::Amount before = held();
  for (NodeId node : {kA, kB, kC}) Open(node);
  EXPECT_EQ(held(), before) << "after restarts";
  ASSERT_TRUE(at(kC).Record({SmallCrawl::Fetched(0, {1, 2, 3})}).ok());
  Commit(kC);
  ASSERT_NO_FATAL_FAILURE(DeliverAll());
  EXPECT_EQ(Total(), cash::kSupply.units());
}

TEST_F(LostMovesTest, ASuccessorGoesOnFromWhatPassedBefore) {
  Crawl();
  const cash::Sum held =
      at(kB).books().table().totals().cash + at(kB).books().virtual_page().units();
  ASSERT_NO_FATAL_FAILURE(Lose(kB));
  EXPECT_EQ(at(kB).books().virtual_page().units(), held);
  EXPECT_EQ(at(kB).peers().book(kA).closed_applied_cash,
            at(kA).peers().book(kB).closed_sealed_cash);
  Open(kB);
  EXPECT_EQ(at(kB).books().virtual_page().units(), held) << "of a folder in which nothing happened";
}

// By windows the cluster's clock is the sum of its nodes', so none of them may begin anew at 0.
TEST_F(LostMovesTest, ASuccessorsClockGoesOnFromTheLatestThatAPeerHeardOf) {
  Crawl();
  ASSERT_TRUE(at(kB).Record({SmallCrawl::Fetched(1, {0, 2, 4})}).ok());
  Commit(kB);
  Deliver(kB, kA);
  const cash::Sum heard = at(kB).books().clock();
  ASSERT_GT(heard, 0);
  ASSERT_LT(at(kC).peers().book(kB).sums.clock, heard) << "C has not heard of the visit";
  ASSERT_NO_FATAL_FAILURE(Lose(kB));
  EXPECT_EQ(at(kB).books().clock(), heard);
  Open(kB);
  EXPECT_EQ(at(kB).books().clock(), heard);
}

TEST_F(LostMovesTest, GenerationsThatNobodyMetAreLeftOut) {
  ASSERT_TRUE(at(kC).BeginAnew(kB, 3).ok());
  Commit(kC);
  EXPECT_EQ(at(kC).peers().book(kB).generation, 3u);
  EXPECT_THAT(at(kC).BeginAnew(kB, 2).message(), testing::HasSubstr("use the newest cluster file"));
}

// B had the shard whole and moved it on, and A has not heard so when B's disk dies: what A seals
// anew reaches a successor that has learnt from C who owns the shard.
TEST_F(LostMovesTest, WhatIsSealedAnewForAShardThatMovedOnIsPostedOn) {
  Crawl();
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "hosts").ok());
  Commit(kA);
  ASSERT_EQ(at(kB).Receive(Next(kA, kB)).value(), Receipt::kTaken);
  Commit(kB);
  TakeHosts(kB);
  Move(kB, kC);
  const size_t pages = PagesAt(kC).size();
  ASSERT_NO_FATAL_FAILURE(Lose(kB));
  EXPECT_EQ(Total(), cash::kSupply.units());
  TellPlacements(kC, kB);
  Deliver(kA, kB);
  EXPECT_EQ(Waiting(kA, kB), 0u) << "the channel goes on";
  Deliver(kB, kC);
  EXPECT_EQ(PagesAt(kC).size(), pages);
  EXPECT_EQ(PagesAt(kB).size(), 0u);
  EXPECT_EQ(Total(), cash::kSupply.units());
  Open(kB);
}

}  // namespace
}  // namespace opic::ledger
