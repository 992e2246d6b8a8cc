// Shards that move between three ledgers: whole, once, to the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ledger/ledger.h"
#include "tests/support/crashing_store.h"
#include "tests/support/small_crawl.h"

namespace opic::ledger {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr ShardId kShard{0};  // of pages 0, 4, 8, ...
constexpr NodeId kA{0}, kB{1}, kC{2};

// Node n owns shard n; the last of the four shards is node 0's too.
NodeId ByMap(ShardId shard) { return NodeId{static_cast<uint16_t>(shard.value % 3)}; }

// What is known of a page, to the byte.
struct Known {
  uint16_t cell = 0;
  bool done = false;
  std::string row, history;
  friend bool operator==(const Known&, const Known&) = default;
};

using Pages = std::map<PageId, Known>;

class MovesTest : public testing::Test {
 protected:
  MovesTest() {
    for (uint16_t n = 0; n < 3; ++n) Open(NodeId{n});
  }

  void Open(NodeId node) {
    Options options;
    options.owner = ByMap;
    options.nodes = 3;
    options.batch_bytes_max = batch_bytes_max_;
    options.departure_backlog_bytes_max = backlog_max_;
    options.checkpoint_folder = FreshCheckpoints(node);
    Charter charter = SmallCrawl::Charter();
    charter.node = node;
    charter.generation = generation_[node.value];
    charter.genesis = node == kA ? cash::kSupply : cash::Amount();
    ledgers_[node.value].reset();
    auto ledger = Ledger::Open(options, *stores_[node.value], &charter);
    ASSERT_TRUE(ledger.ok()) << ledger.status();
    ledgers_[node.value] = *std::move(ledger);
  }
  std::string FreshCheckpoints(NodeId node) {
    if (folder_.empty()) folder_ = FreshCheckpointFolder();
    std::filesystem::create_directories(folder_);
    return folder_ + "/" + std::to_string(node.value);
  }
  Ledger& at(NodeId node) { return *ledgers_[node.value]; }
  void Commit(NodeId node) { ASSERT_TRUE(at(node).Commit().ok()); }

  TransferBatch Next(NodeId from, NodeId to) {
    const uint64_t sequence = at(to).peer(from).applied + 1;
    return DecodeTransferBatch(at(from).SealedBytes(to, sequence).value()).value();
  }
  uint64_t Waiting(NodeId from, NodeId to) {
    return at(from).peer(to).sealed - at(to).peer(from).applied;
  }
  // One batch arrives and is acknowledged.
  void DeliverOne(NodeId from, NodeId to) {
    ASSERT_EQ(at(to).Receive(Next(from, to)).value(), Receipt::kTaken);
    Commit(to);
    ASSERT_TRUE(at(from).Acknowledge(to, at(to).peer(from).applied).ok());
  }
  void Deliver(NodeId from, NodeId to) {
    while (Waiting(from, to) > 0 && !HasFatalFailure()) DeliverOne(from, to);
  }
  void DeliverAll() {
    for (int round = 0; round < 6; ++round) {
      for (NodeId from : {kA, kB, kC}) {
        for (NodeId to : {kA, kB, kC}) {
          if (from != to) Deliver(from, to);
        }
      }
    }
  }
  void TellPlacements(NodeId from, NodeId to) {
    Commit(to);
    ASSERT_TRUE(at(to).Learn(at(from).PlacementsSince(0)).ok());
    Commit(to);
  }
  // The caller takes over the hosts of what has arrived.
  void TakeHosts(NodeId node) {
    for (const ArrivedShard& arrived : at(node).TakeArrived()) at(node).HostsApplied(arrived.shard);
    Commit(node);
  }
  void Move(NodeId from, NodeId to) {
    ASSERT_TRUE(at(from).Depart(kShard, to, "hosts").ok());
    Commit(from);
    Deliver(from, to);
    TakeHosts(to);
  }

  // Pages 0 and 4 are read and link to each other and to pages elsewhere; page 8 is unread.
  void Crawl() {
    at(kA).Seed(SmallCrawl::Links({0, 4, 8}));
    Commit(kA);
    ASSERT_TRUE(
        at(kA).Record({SmallCrawl::Fetched(0, {4, 1, 2}), SmallCrawl::Fetched(4, {0, 8})}).ok());
    Commit(kA);
    ASSERT_TRUE(at(kA).Settle({SmallCrawl::Page(0)}).ok());
    Commit(kA);
    DeliverAll();
  }
  Pages PagesAt(NodeId node) {
    Pages found;
    page_table::Cursor cursor;
    at(node).books().table().Walk(cursor, 1 << 30, [&](const page_table::Page& page) {
      if (page.page.shard() != kShard) return;
      found[page.page] = {page.cash.bits(), page.done, Row(node, store::Table::kPage, page.page),
                          Row(node, store::Table::kHistory, page.page)};
    });
    return found;
  }
  std::string Row(NodeId node, store::Table table, PageId page) {
    return stores_[node.value]->Get(table, KeyOf(page)).value().value_or("");
  }
  uint64_t RowsAt(NodeId node) {
    uint64_t rows = 0;
    for (store::Table table : {store::Table::kPage, store::Table::kHistory}) {
      for (auto row = stores_[node.value]->Scan(table, ""); row->Valid(); row->Next()) {
        rows += PageOfKey(row->key())->shard() == kShard;
      }
    }
    return rows;
  }
  bool Knows(NodeId node, uint64_t page) {
    return at(node).books().table().Find(SmallCrawl::Page(page)).has_value();
  }
  cash::Sum Total() {
    cash::Sum total = 0;
    for (NodeId node : {kA, kB, kC}) {
      total += at(node).books().table().totals().cash + at(node).books().virtual_page().units();
      for (NodeId to : {kA, kB, kC}) {
        if (to == node) continue;
        for (const Retained& batch : at(node).retained(to)) {
          if (batch.sequence > at(to).peer(node).applied) total += batch.cash;
        }
      }
    }
    return total;
  }
  static absl::StatusCode CodeOf(const absl::Status& status) { return status.code(); }

  size_t batch_bytes_max_ = 1 << 20;
  uint64_t backlog_max_ = 1 << 20;
  uint32_t generation_[3] = {1, 1, 1};
  std::string folder_;
  std::unique_ptr<CrashingStore> stores_[3] = {std::make_unique<CrashingStore>(),
                                               std::make_unique<CrashingStore>(),
                                               std::make_unique<CrashingStore>()};
  std::unique_ptr<Ledger> ledgers_[3];
};

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
  EXPECT_EQ(at(kA).OwnerOf(kShard), kB);
  EXPECT_TRUE(at(kB).Workable(kShard));
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
  EXPECT_TRUE(at(kA).Workable(kShard));
  EXPECT_EQ(at(kA).move(kShard), 2u);
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
    return at(node).window().Estimate(row.history, page->cash.value(), at(node).clock(),
                                      at(node).cluster_table(), at(node).origin());
  };
  const double here = estimate(kA);
  Move(kA, kB);
  at(kB).Hear(kA, at(kA).News());
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
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "hosts").ok());
  Commit(kA);
  ASSERT_GE(Waiting(kA, kB), 3u);
  EXPECT_FALSE(at(kA).Workable(kShard));
  while (Waiting(kA, kB) > 1) {
    DeliverOne(kA, kB);
    EXPECT_THAT(at(kB).arriving(), ElementsAre(kShard));
    EXPECT_EQ(at(kB).OwnerOf(kShard), kA);
    EXPECT_FALSE(at(kB).Workable(kShard));
    EXPECT_THAT(at(kB).TakeArrived(), IsEmpty());
    ASSERT_EQ(at(kA).departing().size(), 1u);
    EXPECT_EQ(at(kA).departing()[0].batches, Waiting(kA, kB));
    Open(kB);
  }
  DeliverOne(kA, kB);
  EXPECT_THAT(at(kB).arriving(), IsEmpty());
  EXPECT_EQ(at(kB).OwnerOf(kShard), kB);
  EXPECT_THAT(at(kA).departing(), IsEmpty());
}

TEST_F(MovesTest, TheHostsAreToldUntilTheyAreTakenOver) {
  Crawl();
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "next allowed times").ok());
  Commit(kA);
  Deliver(kA, kB);
  ASSERT_EQ(at(kB).TakeArrived().at(0).hosts, "next allowed times");
  EXPECT_THAT(at(kB).TakeArrived(), IsEmpty());
  Open(kB);
  EXPECT_FALSE(at(kB).Workable(kShard)) << "a crash before they were taken over";
  const std::vector<ArrivedShard> again = at(kB).TakeArrived();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].hosts, "next allowed times");
  at(kB).HostsApplied(kShard);
  Commit(kB);
  EXPECT_TRUE(at(kB).Workable(kShard));
  Open(kB);
  EXPECT_TRUE(at(kB).Workable(kShard));
  EXPECT_THAT(at(kB).TakeArrived(), IsEmpty());
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
  EXPECT_EQ(at(kA).forwarded(), 2u);
  EXPECT_EQ(at(kB).unnamed(), 0u);
  EXPECT_FALSE(Knows(kA, 12));
}

TEST_F(MovesTest, WhoHasHeardOfAMovePaysTheNewOwner) {
  Crawl();
  Move(kA, kB);
  TellPlacements(kB, kC);
  EXPECT_EQ(at(kC).OwnerOf(kShard), kB);
  Open(kC);
  EXPECT_EQ(at(kC).OwnerOf(kShard), kB) << "after a restart";
  ASSERT_TRUE(at(kC).Record({SmallCrawl::Fetched(2, {12})}).ok());
  Commit(kC);
  EXPECT_EQ(Waiting(kC, kA), 0u);
  Deliver(kC, kB);
  EXPECT_TRUE(Knows(kB, 12));
}

TEST_F(MovesTest, AnOlderPlacementIsNoNews) {
  Crawl();
  Move(kA, kB);
  const std::vector<Placement> first = at(kB).PlacementsSince(0);
  ASSERT_THAT(first, ElementsAre(Placement{kShard, kB, 1}));
  Move(kB, kC);
  TellPlacements(kC, kA);
  EXPECT_FALSE(at(kA).IsNews(first));
  ASSERT_TRUE(at(kA).Learn(first).ok());
  EXPECT_EQ(at(kA).OwnerOf(kShard), kC);
}

TEST_F(MovesTest, AMoveIsToldWhenItIsComplete) {
  Crawl();
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "").ok());
  EXPECT_THAT(at(kA).PlacementsSince(0), IsEmpty());
  Commit(kA);
  EXPECT_THAT(at(kA).PlacementsSince(0), IsEmpty());
  ASSERT_EQ(at(kB).Receive(Next(kA, kB)).value(), Receipt::kTaken);
  EXPECT_THAT(at(kB).PlacementsSince(0), IsEmpty()) << "not on disk yet";
  Commit(kB);
  EXPECT_THAT(at(kB).PlacementsSince(0), ElementsAre(Placement{kShard, kB, 1}));
  ASSERT_TRUE(at(kA).Acknowledge(kB, at(kB).peer(kA).applied).ok());
  EXPECT_THAT(at(kA).PlacementsSince(0), ElementsAre(Placement{kShard, kB, 1}));
}

// The new owner discovers and pays pages of the shard before it owns it; they go the long way.
TEST_F(MovesTest, ADiscoveryDuringAMoveComesBack) {
  Crawl();
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "").ok());
  Commit(kA);
  ASSERT_TRUE(at(kB).Record({SmallCrawl::Fetched(1, {4, 12})}).ok());
  Commit(kB);
  EXPECT_EQ(Waiting(kB, kA), 1u);
  Deliver(kB, kA);
  Deliver(kA, kB);
  EXPECT_TRUE(Knows(kB, 12));
  EXPECT_EQ(at(kB).unnamed(), 0u);
  EXPECT_EQ(cash::ToString(Total()), cash::ToString(cash::kSupply.units()));
}

// The same in the very group that brings the end mark.
TEST_F(MovesTest, WhatTheGroupOfTheEndMarkPaysStaysHere) {
  Crawl();
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "").ok());
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
    ASSERT_TRUE(at(kA).Depart(kShard, kB, "").ok());
    stores_[0]->CrashAt(1, CrashingStore::When::kBefore);
    EXPECT_FALSE(at(kA).Commit().ok());
    base::Rng rng(seed);
    stores_[0]->Reboot(rng);
    Open(kA);
    const bool gone = Waiting(kA, kB) > 0;
    EXPECT_EQ(PagesAt(kA), gone ? Pages() : before);
    EXPECT_EQ(RowsAt(kA) == 0, gone);
    EXPECT_EQ(at(kA).OwnerOf(kShard), gone ? kB : kA);
    kept += !gone;
  }
  EXPECT_GT(kept, 0u);
  Deliver(kA, kB);
  EXPECT_EQ(PagesAt(kB), before);
}

TEST_F(MovesTest, ADepartureThatCannotBeIsRefused) {
  Crawl();
  EXPECT_EQ(CodeOf(at(kB).Depart(kShard, kA, "")), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(at(kA).Depart(kShard, kA, "")), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(at(kA).Depart(kShard, NodeId{9}, "")), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(CodeOf(at(kA).Depart(ShardId{4}, kB, "")), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CodeOf(at(kA).Depart(kShard, kB, std::string(2 << 20, 'x'))),
            absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "").ok());
  Commit(kA);
  EXPECT_THAT(at(kA).Depart(kShard, kB, "").message(), HasSubstr("not here"));
  Deliver(kA, kB);
  EXPECT_THAT(at(kB).Depart(kShard, kA, "").message(), HasSubstr("hosts are not taken over"));
}

TEST_F(MovesTest, NothingDepartsToANodeThatIsFarBehind) {
  backlog_max_ = 100;
  Open(kA);
  Crawl();
  ASSERT_TRUE(at(kA).Depart(kShard, kB, std::string(200, 'x')).ok());
  Commit(kA);
  EXPECT_EQ(CodeOf(at(kA).Depart(ShardId{3}, kB, "")), absl::StatusCode::kUnavailable);
  Deliver(kA, kB);
  EXPECT_TRUE(at(kA).Depart(ShardId{3}, kB, "").ok());
}

TEST_F(MovesTest, PiecesThatDoNotFitAreRefused) {
  Crawl();
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "").ok());
  Commit(kA);
  const TransferBatch right = Next(kA, kB);
  TransferBatch batch = right;
  batch.consignment->pages[0].row.clear();
  EXPECT_THAT(at(kB).Receive(batch).status().message(), HasSubstr("damaged rows"));
  batch = right;
  batch.consignment->move = 0;
  EXPECT_THAT(at(kB).Receive(batch).status().message(), HasSubstr("impossible"));
  batch = right;
  batch.consignment->shard = ShardId{9};
  EXPECT_THAT(at(kB).Receive(batch).status().message(), HasSubstr("shard there is not"));
  EXPECT_EQ(at(kB).Receive(right).value(), Receipt::kTaken);
  EXPECT_EQ(at(kB).Receive(right).value(), Receipt::kRepeated);
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
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "").ok());
  Commit(kA);
  EXPECT_GT(Waiting(kA, kB), 5u);
  for (const SealedBatch& sealed : at(kA).TakeSealed()) EXPECT_LE(sealed.bytes.size(), 65u << 10);
  Deliver(kA, kB);
  EXPECT_EQ(PagesAt(kB), before);
  EXPECT_EQ(at(kA).books().table().totals().pages, 0u);
}

TEST_F(MovesTest, ACutInTheMiddleOfAMoveFindsTheSupply) {
  batch_bytes_max_ = 60;
  Open(kA);
  Crawl();
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "").ok());
  Commit(kA);
  DeliverOne(kA, kB);
  cash::Sum total = 0;
  for (NodeId node : {kA, kB, kC}) {
    at(node).EnterEpoch(5);
    total += at(node).cut().table + at(node).cut().virtual_page;
    for (const Cut::Channel& channel : at(node).cut().channels) {
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
  charter = charter.substr(0, charter.size() - 8);
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

// --- Lost nodes.

// The receiver's folder is lost when it had a part: its successor gets the rest.
TEST_F(MovesTest, TheRestOfAMoveGoesToTheSuccessorOfALostReceiver) {
  batch_bytes_max_ = 60;
  Open(kA);
  Crawl();
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "").ok());
  Commit(kA);
  DeliverOne(kA, kB);
  stores_[1] = std::make_unique<CrashingStore>();
  folder_ += "-later";
  generation_[1] = 2;
  Open(kB);
  ASSERT_TRUE(at(kA).BeginAnew(kB, 2).ok());
  Commit(kA);
  EXPECT_THAT(at(kA).PlacementsSince(0), IsEmpty()) << "the end mark is still under way";
  Deliver(kA, kB);
  EXPECT_EQ(at(kB).OwnerOf(kShard), kB);
  EXPECT_EQ(PagesAt(kB).size(), 2u) << "of three";
}

// The sender's folder is lost: what had arrived stays, and the receiver owns the shard.
TEST_F(MovesTest, AHalfArrivedShardOfALostNodeIsOwnedByItsReceiver) {
  batch_bytes_max_ = 60;
  Open(kA);
  Crawl();
  ASSERT_TRUE(at(kA).Depart(kShard, kB, "hosts").ok());
  Commit(kA);
  DeliverOne(kA, kB);
  ASSERT_TRUE(at(kB).BeginAnew(kA, 2).ok());
  Commit(kB);
  EXPECT_THAT(at(kB).arriving(), IsEmpty());
  EXPECT_EQ(at(kB).OwnerOf(kShard), kB);
  const std::vector<ArrivedShard> arrived = at(kB).TakeArrived();
  ASSERT_EQ(arrived.size(), 1u);
  EXPECT_EQ(arrived[0].hosts, "");
  EXPECT_THAT(at(kB).PlacementsSince(0), ElementsAre(Placement{kShard, kB, 1}));
}

// The successor of a lost node thinks that it has what the map gives it, and hears better.
TEST_F(MovesTest, ASuccessorSurrendersWhatWasMovedAwayBefore) {
  Crawl();
  Move(kA, kB);
  stores_[0] = std::make_unique<CrashingStore>();
  folder_ += "-later";
  generation_[0] = 2;
  Open(kA);
  EXPECT_FALSE(at(kA).Workable(kShard)) << "it has not met its peers";
  at(kA).Seed(SmallCrawl::Links({4, 12}));
  Commit(kA);
  for (NodeId peer : {kB, kC}) {
    ASSERT_TRUE(at(kA).Learn(at(peer).PlacementsSince(0)).ok());
    at(kA).Meet(peer, 1, 5);
    Commit(kA);
  }
  EXPECT_EQ(at(kA).OwnerOf(kShard), kB);
  EXPECT_TRUE(at(kA).Workable(ShardId{3}));
  EXPECT_EQ(PagesAt(kA).size() + RowsAt(kA), 0u);
  ASSERT_TRUE(at(kB).BeginAnew(kA, 2).ok());
  Commit(kB);
  Deliver(kA, kB);
  EXPECT_TRUE(Knows(kB, 12));
  Open(kA);
  EXPECT_TRUE(at(kA).Workable(ShardId{3})) << "after a restart";
}

TEST_F(MovesTest, ASuccessorOwnsWhatWasMovedToTheLostNode) {
  Crawl();
  Move(kA, kB);
  TellPlacements(kB, kC);
  stores_[1] = std::make_unique<CrashingStore>();
  folder_ += "-later";
  generation_[1] = 2;
  Open(kB);
  EXPECT_EQ(at(kB).OwnerOf(kShard), kA) << "by the map";
  for (NodeId peer : {kA, kC}) {
    ASSERT_TRUE(at(peer).BeginAnew(kB, 2).ok());
    Commit(peer);
    ASSERT_TRUE(at(kB).Learn(at(peer).PlacementsSince(0)).ok());
    at(kB).Meet(peer, 1, 5);
    Commit(kB);
  }
  EXPECT_EQ(at(kB).OwnerOf(kShard), kB);
  EXPECT_TRUE(at(kB).Workable(kShard));
}

}  // namespace
}  // namespace opic::ledger
