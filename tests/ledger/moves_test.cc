// Shards that move between three ledgers: whole, once, to the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/ledger/moving_ledgers.h"

namespace opic::ledger {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MovesTest : public MovingLedgers {};

TEST_F(MovesTest, AShardArrivesAsItLeftToTheByte) {
  Crawl();
  const Pages before = PagesAt(kA);
  ASSERT_EQ(before.size(), 3u);
  Move(kA, kB);
  EXPECT_EQ(PagesAt(kB), before);
  EXPECT_EQ(PagesAt(kA).size(), 0u);
  EXPECT_EQ(RowsAt(kA), 0u);
  EXPECT_EQ(cash::ToString(Total()), cash::ToString(cash::kSupply.units()));
}

TEST_F(MovesTest, BothEndsRecoverWhatTheyHad) {
  Crawl();
  const Pages before = PagesAt(kA);
  Move(kA, kB);
  const KindCounts kinds_here = at(kA).balances().by_kind, kinds_there = at(kB).balances().by_kind;
  Open(kA);
  Open(kB);
  EXPECT_EQ(PagesAt(kB), before);
  EXPECT_EQ(PagesAt(kA).size(), 0u);
  EXPECT_EQ(at(kA).placements().OwnerOf(kShard), kB);
  EXPECT_TRUE(at(kB).moves().Workable(kShard));
  EXPECT_EQ(kinds_here[0], 0u);
  EXPECT_EQ(kinds_there[0], 2u) << "two read pages moved";
  EXPECT_EQ(at(kB).balances().by_kind, kinds_there);
}

// A checkpoint older than the departure or the arrival, and one that is newer.
TEST_F(MovesTest, CheckpointsOnEitherSideOfAMoveAreReplayedRight) {
  Crawl();
  ASSERT_TRUE(at(kA).Checkpoint(/*all=*/true).ok());
  const Pages before = PagesAt(kA);
  Move(kA, kB);
  Open(kA), Open(kB);
  EXPECT_EQ(PagesAt(kB), before);
  for (NodeId node : {kA, kB}) ASSERT_TRUE(at(node).Checkpoint(/*all=*/true).ok());
  Open(kA), Open(kB);
  EXPECT_EQ(PagesAt(kB), before);
  EXPECT_EQ(PagesAt(kA).size(), 0u);
}

TEST_F(MovesTest, ThereAndBackAndOnToAThirdNode) {
  Crawl();
  const Pages before = PagesAt(kA);
  Move(kA, kB);
  Move(kB, kA);
  EXPECT_EQ(PagesAt(kA), before);
  EXPECT_TRUE(at(kA).moves().Workable(kShard));
  EXPECT_EQ(at(kA).placements().move(kShard), 2u);
  Move(kA, kC);
  EXPECT_EQ(PagesAt(kC), before);
  EXPECT_EQ(PagesAt(kA).size() + PagesAt(kB).size(), 0u);
  EXPECT_EQ(cash::ToString(Total()), cash::ToString(cash::kSupply.units()));
}

TEST_F(MovesTest, SettledVisitsGoOnWithTheSameEstimate) {
  Crawl();
  const auto estimate = [&](NodeId node) {
    const auto row =
        DecodeHistoryRow(Row(node, store::Table::kHistory, SmallCrawl::Page(0)), at(node).window())
            .value();
    const auto page = at(node).books().table().Find(SmallCrawl::Page(0));
    return at(node).accounting().Estimate(row.history, page->cash.value());
  };
  const double here = estimate(kA);
  Move(kA, kB);
  at(kB).Hear(kA, at(kA).Sums());
  EXPECT_GT(here, 0);
  EXPECT_NEAR(estimate(kB), here, 0.2 * here) << "the virtual page pays while it moves";
  ASSERT_TRUE(at(kB).Settle({SmallCrawl::Page(0), SmallCrawl::Page(4)}).ok());
  Commit(kB);
  DeliverAll();
  EXPECT_EQ(cash::ToString(Total()), cash::ToString(cash::kSupply.units()));
}

TEST_F(MovesTest, AShardIsNobodysUntilItsEndMarkArrives) {
  batch_bytes_max_ = 60;
  Open(kA);
  Crawl();
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "hosts").ok());
  Commit(kA);
  ASSERT_GE(Waiting(kA, kB), 3u);
  EXPECT_FALSE(at(kA).moves().Workable(kShard));
  while (Waiting(kA, kB) > 1) {
    DeliverOne(kA, kB);
    EXPECT_THAT(at(kB).placements().arriving(), ElementsAre(kShard));
    EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kA);
    EXPECT_FALSE(at(kB).moves().Workable(kShard));
    EXPECT_THAT(at(kB).moves().TakeArrived(), IsEmpty());
    ASSERT_EQ(at(kA).peers().Departing().size(), 1u);
    EXPECT_EQ(at(kA).peers().Departing()[0].batches, Waiting(kA, kB));
    Open(kB);
  }
  DeliverOne(kA, kB);
  EXPECT_THAT(at(kB).placements().arriving(), IsEmpty());
  EXPECT_EQ(at(kB).placements().OwnerOf(kShard), kB);
  EXPECT_THAT(at(kA).peers().Departing(), IsEmpty());
}

TEST_F(MovesTest, TheHostsAreReportedUntilTheyAreTakenOver) {
  Crawl();
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "next allowed times").ok());
  Commit(kA);
  Deliver(kA, kB);
  ASSERT_EQ(at(kB).moves().TakeArrived().at(0).hosts, "next allowed times");
  EXPECT_THAT(at(kB).moves().TakeArrived(), IsEmpty());
  Open(kB);
  EXPECT_FALSE(at(kB).moves().Workable(kShard)) << "a crash before they were taken over";
  const std::vector<ArrivedShard> again = at(kB).moves().TakeArrived();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].hosts, "next allowed times");
  at(kB).moves().HostsApplied(kShard);
  Commit(kB);
  EXPECT_TRUE(at(kB).moves().Workable(kShard));
  Open(kB);
  EXPECT_TRUE(at(kB).moves().Workable(kShard));
  EXPECT_THAT(at(kB).moves().TakeArrived(), IsEmpty());
}

// Node 2 has not heard of the move and pays page 4 at its old place.
TEST_F(MovesTest, WhatArrivesForADepartedShardIsPostedOn) {
  Crawl();
  Move(kA, kB);
  ASSERT_TRUE(at(kC).Record({SmallCrawl::Fetched(2, {4, 12})}).ok());
  Commit(kC);
  EXPECT_EQ(Waiting(kC, kB), 0u);
  Deliver(kC, kA);
  Deliver(kA, kB);
  EXPECT_TRUE(Knows(kB, 12));
  EXPECT_EQ(at(kA).counts().forwarded, 2u);
  EXPECT_EQ(at(kB).counts().unnamed, 0u);
  EXPECT_FALSE(Knows(kA, 12));
}

TEST_F(MovesTest, WhoHasHeardOfAMovePaysTheNewOwner) {
  Crawl();
  Move(kA, kB);
  TellPlacements(kB, kC);
  EXPECT_EQ(at(kC).placements().OwnerOf(kShard), kB);
  Open(kC);
  EXPECT_EQ(at(kC).placements().OwnerOf(kShard), kB) << "after a restart";
  ASSERT_TRUE(at(kC).Record({SmallCrawl::Fetched(2, {12})}).ok());
  Commit(kC);
  EXPECT_EQ(Waiting(kC, kA), 0u);
  Deliver(kC, kB);
  EXPECT_TRUE(Knows(kB, 12));
}

TEST_F(MovesTest, AnOlderPlacementIsNoNews) {
  Crawl();
  Move(kA, kB);
  const std::vector<Placement> first = at(kB).moves().PlacementsSince(0);
  ASSERT_THAT(first, ElementsAre(Placement{kShard, kB, 1}));
  Move(kB, kC);
  TellPlacements(kC, kA);
  EXPECT_FALSE(at(kA).moves().IsNews(first));
  ASSERT_TRUE(at(kA).moves().Learn(first).ok());
  EXPECT_EQ(at(kA).placements().OwnerOf(kShard), kC);
}

TEST_F(MovesTest, AMoveIsReportedWhenItIsComplete) {
  Crawl();
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "").ok());
  EXPECT_THAT(at(kA).moves().PlacementsSince(0), IsEmpty());
  Commit(kA);
  EXPECT_THAT(at(kA).moves().PlacementsSince(0), IsEmpty());
  ASSERT_EQ(at(kB).Receive(Next(kA, kB)).value(), Receipt::kTaken);
  EXPECT_THAT(at(kB).moves().PlacementsSince(0), IsEmpty()) << "not on disk yet";
  Commit(kB);
  EXPECT_THAT(at(kB).moves().PlacementsSince(0), ElementsAre(Placement{kShard, kB, 1}));
  ASSERT_TRUE(at(kA).Acknowledge(kB, at(kB).peers().book(kA).applied).ok());
  EXPECT_THAT(at(kA).moves().PlacementsSince(0), ElementsAre(Placement{kShard, kB, 1}));
}

// The new owner discovers and pays pages of the shard before it owns it; they go the long way.
TEST_F(MovesTest, ADiscoveryDuringAMoveComesBack) {
  Crawl();
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "").ok());
  Commit(kA);
  ASSERT_TRUE(at(kB).Record({SmallCrawl::Fetched(1, {4, 12})}).ok());
  Commit(kB);
  EXPECT_EQ(Waiting(kB, kA), 1u);
  Deliver(kB, kA);
  Deliver(kA, kB);
  EXPECT_TRUE(Knows(kB, 12));
  EXPECT_EQ(at(kB).counts().unnamed, 0u);
  EXPECT_EQ(cash::ToString(Total()), cash::ToString(cash::kSupply.units()));
}

// The same in the very group that brings the end mark.
TEST_F(MovesTest, WhatTheGroupOfTheEndMarkPaysStaysHere) {
  Crawl();
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "").ok());
  Commit(kA);
  ASSERT_TRUE(at(kB).Record({SmallCrawl::Fetched(1, {4, 12})}).ok());
  ASSERT_EQ(at(kB).Receive(Next(kA, kB)).value(), Receipt::kTaken);
  Commit(kB);
  EXPECT_EQ(Waiting(kB, kA), 0u);
  EXPECT_TRUE(Knows(kB, 12));
  EXPECT_EQ(DecodePageRow(Row(kB, store::Table::kPage, SmallCrawl::Page(12)))->url,
            SmallCrawl::UrlOf(12));
  Open(kB);
  EXPECT_TRUE(Knows(kB, 12));
}

// A commit that is cut off may have reached the disk: then all of it has.
TEST_F(MovesTest, ADepartureIsOneWrite) {
  Crawl();
  const Pages before = PagesAt(kA);
  uint64_t kept = 0;
  for (uint64_t seed = 4; Waiting(kA, kB) == 0 && seed < 50; ++seed) {
    ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "").ok());
    stores_[0]->CrashAt(1, CrashingStore::When::kBefore);
    EXPECT_FALSE(at(kA).Commit().ok());
    base::Rng rng(seed);
    stores_[0]->Reboot(rng);
    Open(kA);
    const bool gone = Waiting(kA, kB) > 0;
    EXPECT_EQ(PagesAt(kA), gone ? Pages() : before);
    EXPECT_EQ(RowsAt(kA) == 0, gone);
    EXPECT_EQ(at(kA).placements().OwnerOf(kShard), gone ? kB : kA);
    kept += !gone;
  }
  EXPECT_GT(kept, 0u);
  Deliver(kA, kB);
  EXPECT_EQ(PagesAt(kB), before);
}

// Node 0 has told page 10 to node 2 in a batch that is still under way, when the page that links to
// it arrives there by way of node 1.
TEST_F(MovesTest, AKeptLinkThatOvertakesItsNameMakesNoNamelessPage) {
  Crawl();
  ASSERT_TRUE(at(kA).Record({SmallCrawl::Fetched(0, {10}), SmallCrawl::Fetched(4, {0})}).ok());
  Commit(kA);
  ASSERT_EQ(Waiting(kA, kC), 1u);
  Move(kA, kB);
  Move(kB, kC);
  ASSERT_TRUE(at(kC).Settle({SmallCrawl::Page(0)}).ok());
  Commit(kC);
  EXPECT_EQ(at(kC).counts().unnamed, 1u);
  EXPECT_FALSE(Knows(kC, 10));
  Deliver(kA, kC);
  EXPECT_TRUE(Knows(kC, 10));
  EXPECT_EQ(cash::ToString(Total()), cash::ToString(cash::kSupply.units()));
}

TEST_F(MovesTest, ADepartureThatCannotBeIsRefused) {
  Crawl();
  EXPECT_EQ(CodeOf(at(kB).moves().Depart(kShard, kA, "")), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(at(kA).moves().Depart(kShard, kA, "")), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(at(kA).moves().Depart(kShard, NodeId{9}, "")),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(at(kA).moves().Depart(ShardId{4}, kB, "")), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(at(kA).moves().Depart(kShard, kB, std::string(2 << 20, 'x'))),
            absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "").ok());
  Commit(kA);
  EXPECT_THAT(at(kA).moves().Depart(kShard, kB, "").message(), HasSubstr("not here"));
  Deliver(kA, kB);
  EXPECT_THAT(at(kB).moves().Depart(kShard, kA, "").message(),
              HasSubstr("hosts are not taken over"));
}

TEST_F(MovesTest, NothingDepartsToANodeThatIsFarBehind) {
  backlog_max_ = 100;
  Open(kA);
  Crawl();
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, std::string(200, 'x')).ok());
  Commit(kA);
  EXPECT_EQ(CodeOf(at(kA).moves().Depart(ShardId{3}, kB, "")), absl::StatusCode::kUnavailable);
  Deliver(kA, kB);
  EXPECT_TRUE(at(kA).moves().Depart(ShardId{3}, kB, "").ok());
}

TEST_F(MovesTest, PiecesThatDoNotFitAreRefused) {
  Crawl();
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "").ok());
  Commit(kA);
  const TransferBatch right = Next(kA, kB);
  TransferBatch batch = right;
  batch.chunk->pages[0].row.clear();
  EXPECT_THAT(at(kB).Receive(batch).status().message(), HasSubstr("damaged rows"));
  batch = right;
  batch.chunk->move = 0;
  EXPECT_THAT(at(kB).Receive(batch).status().message(), HasSubstr("impossible"));
  batch = right;
  batch.chunk->shard = ShardId{9};
  EXPECT_THAT(at(kB).Receive(batch).status().message(), HasSubstr("shard 9, which does not exist"));
  EXPECT_EQ(at(kB).Receive(right).value(), Receipt::kTaken);
  EXPECT_EQ(at(kB).Receive(right).value(), Receipt::kRepeated);
}

// A peer with a newer cluster file has told of it.
TEST_F(MovesTest, AShardAtANodeThatTheClusterFileLacksIsRefusedAtTheStart) {
  Crawl();
  ASSERT_TRUE(at(kA).moves().Learn({{ShardId{1}, NodeId{3}, 1}}).ok());
  Commit(kA);
  ledgers_[kA.value].reset();
  Options options;
  options.read_only = true;
  options.nodes = 3;
  EXPECT_TRUE(Ledger::Open(options, *stores_[kA.value], nullptr).ok()) << "at rest, without a file";
  options.owner = ByMap;
  const absl::Status opened = Ledger::Open(options, *stores_[kA.value], nullptr).status();
  EXPECT_EQ(CodeOf(opened), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(opened.message(), HasSubstr("shard 1 at node 3"));
  options.nodes = 4;
  EXPECT_TRUE(Ledger::Open(options, *stores_[kA.value], nullptr).ok());
}

TEST_F(MovesTest, ALargeShardMovesInPieces) {
  std::vector<uint64_t> pages;
  for (uint64_t n = 0; n < 40'000; n += 4) pages.push_back(n);
  batch_bytes_max_ = 64 << 10;
  Open(kA);
  at(kA).Seed(SmallCrawl::Links(pages));
  Commit(kA);
  const Pages before = PagesAt(kA);
  ASSERT_EQ(before.size(), 10'000u);
  ASSERT_TRUE(at(kA).moves().Depart(kShard, kB, "").ok());
  Commit(kA);
  EXPECT_GT(Waiting(kA, kB), 5u);
  for (const SealedBatch& sealed : at(kA).TakeSealed()) EXPECT_LE(sealed.bytes.size(), 65u << 10);
  Deliver(kA, kB);
  EXPECT_EQ(PagesAt(kB), before);
  EXPECT_EQ(at(kA).books().table().totals().pages, 0u);
}

TEST_F(MovesTest, ACutInTheMiddleOfAMoveFindsTheSupply) {
  ASSERT_NO_FATAL_FAILURE(MoveHalf());
  cash::Sum total = 0;
  for (NodeId node : {kA, kB, kC}) {
    at(node).EnterEpoch(5);
    total += at(node).cut().table + at(node).cut().virtual_page;
    for (const Cut::ChannelState& channel : at(node).cut().channels) {
      for (const Retained& batch : channel.retained) total += batch.cash;
    }
  }
  EXPECT_EQ(cash::ToString(total), cash::ToString(cash::kSupply.units()));
}

// A folder of the format version before has no moved shards; it is of the present one after its
// first commit.
TEST_F(MovesTest, AnOlderFolderIsUpgradedByItsFirstCommit) {
  Crawl();
  ledgers_[0].reset();
  std::string charter = stores_[0]->Get(store::Table::kMeta, kCharterKey).value().value();
  charter = charter.substr(0, charter.size() - 8 - 9);  // checksum; importance and base
  charter[12] = 2;
  base::AppendFixed64(charter, base::Hash64(charter));
  store::Batch batch;
  batch.Put(store::Table::kMeta, kCharterKey, charter);
  ASSERT_TRUE(stores_[0]->Write(batch, store::Sync::kYes).ok());
  Open(kA);
  EXPECT_EQ(stores_[0]->Get(store::Table::kMeta, kCharterKey).value(), charter);
  at(kA).Seed(SmallCrawl::Links({16}));
  Commit(kA);
  EXPECT_EQ(stores_[0]->Get(store::Table::kMeta, kCharterKey).value(), at(kA).charter().Encode());
}

}  // namespace
}  // namespace opic::ledger
