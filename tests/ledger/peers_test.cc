// Two ledgers and a wire between them: what is sealed arrives once, in order, to the unit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ledger/ledger.h"
#include "tests/support/crashing_store.h"
#include "tests/support/small_crawl.h"

namespace opic::ledger {
namespace {

using testing::HasSubstr;

// Node n owns the pages whose number is n modulo 2 (SmallCrawl::Page goes round four shards).
NodeId OwnerOf(ShardId shard) { return NodeAt(shard.value % 2); }

class PeersTest : public testing::Test {
 protected:
  PeersTest() {
    for (uint16_t n = 0; n < 2; ++n) Open(n);
  }

  void Open(uint16_t n) {
    Options options;
    options.owner = OwnerOf;
    options.nodes = 2;
    options.batch_bytes_max = batch_bytes_max_;
    Charter charter = SmallCrawl::Charter();
    charter.node = NodeId{n};
    charter.genesis = n == 0 ? cash::kSupply : cash::Amount();
    ledgers_[n].reset();
    auto ledger = Ledger::Open(options, stores_[n], &charter);
    ASSERT_TRUE(ledger.ok()) << ledger.status();
    ledgers_[n] = *std::move(ledger);
  }
  Ledger& at(uint16_t n) { return *ledgers_[n]; }

  void Commit(uint16_t n) { ASSERT_TRUE(at(n).Commit().ok()); }
  std::vector<TransferBatch> Sealed(uint16_t n) {
    std::vector<TransferBatch> batches;
    for (const SealedBatch& sealed : at(n).TakeSealed()) {
      batches.push_back(DecodeTransferBatch(sealed.bytes).value());
    }
    return batches;
  }
  // Everything that `from` sealed is applied and acknowledged by the other one.
  void Deliver(uint16_t from) {
    for (const TransferBatch& batch : Sealed(from)) {
      ASSERT_EQ(at(1 - from).Receive(batch).value(), Receipt::kTaken);
    }
    Commit(1 - from);
    ASSERT_TRUE(at(from)
                    .Acknowledge(NodeAt(1 - from), at(1 - from).peers().book(NodeId{from}).applied)
                    .ok());
  }
  // A page of node 0 that links to one of node 1.
  void FetchAcross() {
    at(0).Seed(SmallCrawl::Links({0}));
    Commit(0);
    ASSERT_TRUE(at(0).Record({SmallCrawl::Fetched(0, {1})}).ok());
    Commit(0);
  }
  uint64_t CashOf(uint16_t n, uint64_t page) {
    const auto found = at(n).books().table().Find(SmallCrawl::Page(page));
    return found ? found->cash.value().units() : 0;
  }
  cash::Sum HeldBy(uint16_t n) {
    return at(n).books().table().totals().cash + at(n).books().virtual_page().units();
  }

  size_t batch_bytes_max_ = 1 << 20;
  CrashingStore stores_[2];
  std::unique_ptr<Ledger> ledgers_[2];
};

TEST_F(PeersTest, TheFirstNodeHasTheSupplyAndTheOthersNothing) {
  EXPECT_EQ(HeldBy(0), cash::kSupply.units());
  EXPECT_EQ(HeldBy(1), 0u);
}

TEST_F(PeersTest, CashForAPageOfAPeerIsSealedWithItsUrl) {
  FetchAcross();
  const std::vector<TransferBatch> sealed = Sealed(0);
  ASSERT_EQ(sealed.size(), 1u);
  ASSERT_EQ(sealed[0].transfers.size(), 1u);
  EXPECT_EQ(sealed[0].transfers[0].page, SmallCrawl::Page(1));
  EXPECT_EQ(sealed[0].transfers[0].url, SmallCrawl::UrlOf(1));
  EXPECT_EQ(sealed[0].transfers[0].depth, 1u);
  EXPECT_GT(sealed[0].transfers[0].amount.units(), 0u);
  EXPECT_EQ(HeldBy(0) + sealed[0].Carried(), cash::kSupply.units());
}

TEST_F(PeersTest, TheReceiverKnowsThePageAndHasItsCash) {
  FetchAcross();
  Deliver(0);
  EXPECT_GT(CashOf(1, 1), 0u);
  EXPECT_EQ(HeldBy(0) + HeldBy(1), cash::kSupply.units());
  EXPECT_TRUE(at(0).peers().retained(NodeId{1}).empty());
}

TEST_F(PeersTest, ABatchThatArrivesAgainDoesNothing) {
  FetchAcross();
  const TransferBatch batch = Sealed(0).at(0);
  ASSERT_EQ(at(1).Receive(batch).value(), Receipt::kTaken);
  EXPECT_EQ(at(1).Receive(batch).value(), Receipt::kRepeated) << "in the same group";
  Commit(1);
  EXPECT_EQ(at(1).Receive(batch).value(), Receipt::kRepeated) << "later";
  Commit(1);
  EXPECT_EQ(HeldBy(0) + HeldBy(1), cash::kSupply.units());
}

TEST_F(PeersTest, ABatchAfterAGapIsNotTaken) {
  FetchAcross();
  TransferBatch batch = Sealed(0).at(0);
  batch.sequence = 2;
  EXPECT_EQ(at(1).Receive(batch).value(), Receipt::kAhead);
  Commit(1);
  EXPECT_EQ(HeldBy(1), 0u);
}

TEST_F(PeersTest, ABatchWhoseSumsDoNotMeetIsRefused) {
  FetchAcross();
  const TransferBatch batch = Sealed(0).at(0);
  TransferBatch lossy = batch;
  lossy.transfers[0].amount -= cash::Amount(1);
  EXPECT_THAT(at(1).Receive(lossy).status().message(), HasSubstr("another sum than it says"));
  TransferBatch other_start = batch;
  other_start.cash_before += 1;
  other_start.cash_after += 1;
  EXPECT_THAT(at(1).Receive(other_start).status().message(), HasSubstr("here it stands at 0"));
  TransferBatch stranger = batch;
  ++stranger.cluster_id;
  EXPECT_THAT(at(1).Receive(stranger).status().message(), HasSubstr("another cluster"));
  EXPECT_EQ(at(1).Receive(batch).value(), Receipt::kTaken);
}

TEST_F(PeersTest, BooksAndOutboxComeBackAfterARestart) {
  FetchAcross();
  Open(0);
  ASSERT_EQ(at(0).peers().retained(NodeId{1}).size(), 1u);
  const TransferBatch batch = DecodeTransferBatch(at(0).SealedBytes(NodeId{1}, 1).value()).value();
  ASSERT_EQ(at(1).Receive(batch).value(), Receipt::kTaken);
  Commit(1);
  Open(1);
  EXPECT_EQ(at(1).peers().book(NodeId{0}).applied, 1u);
  EXPECT_EQ(at(1).Receive(batch).value(), Receipt::kRepeated);
  EXPECT_EQ(HeldBy(0) + HeldBy(1), cash::kSupply.units());
}

TEST_F(PeersTest, AcknowledgedBatchesLeaveTheOutboxWithTheNextWrite) {
  FetchAcross();
  Deliver(0);
  ASSERT_TRUE(at(0).Settle({SmallCrawl::Page(0)}).ok());
  Commit(0);
  EXPECT_EQ(at(0).SealedBytes(NodeId{1}, 1).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(at(0).SealedBytes(NodeId{1}, 2).ok());
}

TEST_F(PeersTest, AnAcknowledgementOfWhatWasNeverSealedIsRefused) {
  FetchAcross();
  EXPECT_FALSE(at(0).Acknowledge(NodeId{1}, 2).ok());
  EXPECT_TRUE(at(0).Acknowledge(NodeId{1}, 1).ok());
  EXPECT_TRUE(at(0).Acknowledge(NodeId{1}, 1).ok()) << "an old one";
}

TEST_F(PeersTest, AUrlTravelsOnce) {
  FetchAcross();
  Deliver(0);
  ASSERT_TRUE(at(0).Record({SmallCrawl::Fetched(0, {1, 3})}).ok());
  Commit(0);
  const TransferBatch again = Sealed(0).at(0);
  ASSERT_EQ(again.transfers.size(), 2u);
  for (const Transfer& transfer : again.transfers) {
    EXPECT_EQ(transfer.url.empty(), transfer.page == SmallCrawl::Page(1));
  }
}

TEST_F(PeersTest, AnUnknownPageWithoutUrlIsPaidToTheVirtualPage) {
  FetchAcross();
  TransferBatch batch = Sealed(0).at(0);
  batch.transfers[0].url.clear();
  ASSERT_EQ(at(1).Receive(batch).value(), Receipt::kTaken);
  Commit(1);
  EXPECT_EQ(at(1).counts().unnamed, 1u);
  EXPECT_EQ(at(1).books().virtual_page().units(), batch.Carried());
}

TEST_F(PeersTest, CashForAPageOfAnotherNodeIsPostedOn) {
  FetchAcross();
  TransferBatch batch = Sealed(0).at(0);
  batch.transfers[0].page = SmallCrawl::Page(2);  // node 0's
  batch.transfers[0].url = SmallCrawl::UrlOf(2);
  ASSERT_EQ(at(1).Receive(batch).value(), Receipt::kTaken);
  Commit(1);
  EXPECT_EQ(HeldBy(1), 0u);
  Deliver(1);
  EXPECT_TRUE(at(0).books().table().Find(SmallCrawl::Page(2)).has_value());
  EXPECT_EQ(HeldBy(0), cash::kSupply.units());
}

// One page here, one there: half of what a page that is gone pays the virtual page is the peer's,
// and is not paid out here while the peer is away.
TEST_F(PeersTest, TheVirtualPageIsSharedByPages) {
  FetchAcross();
  Deliver(0);
  Commit(1);  // tells how many pages it knows
  at(0).Hear(NodeId{1}, at(1).Sums());
  for (int round = 0; round < 100; ++round) at(0).ShareVirtualPage([](NodeId) { return true; });
  Commit(0);
  Sealed(0);
  const uint64_t cash = CashOf(0, 0);
  ASSERT_GT(cash, 0u);
  ASSERT_TRUE(at(0).Record({{SmallCrawl::Page(0), VisitKind::kGone, 404}}).ok());
  at(0).ShareVirtualPage([](NodeId) { return false; });
  Commit(0);
  EXPECT_TRUE(Sealed(0).empty()) << "the peer cannot be reached";
  at(0).ShareVirtualPage([](NodeId) { return true; });
  Commit(0);
  const auto sent = static_cast<double>(Sealed(0).at(0).to_virtual_page.units());
  EXPECT_NEAR(sent / static_cast<double>(cash), 0.5, 0.01);  // the account keeps a reserve
}

TEST_F(PeersTest, ABatchThatGoesOutTakesTheVirtualSharesAlong) {
  FetchAcross();
  Deliver(0);
  at(0).Hear(NodeId{1}, at(1).Sums());
  at(0).Seed(SmallCrawl::Links({2}));
  Commit(0);
  ASSERT_TRUE(at(0).Record({SmallCrawl::Fetched(2, {1})}).ok());
  Commit(0);
  const TransferBatch batch = Sealed(0).at(0);
  EXPECT_EQ(batch.transfers.size(), 1u);
  EXPECT_GT(batch.to_virtual_page.units(), 0u);
}

TEST_F(PeersTest, ALargeGroupIsSealedInSeveralBatches) {
  batch_bytes_max_ = 200;
  Open(0);
  at(0).Seed(SmallCrawl::Links({0}));
  Commit(0);
  std::vector<uint64_t> links;
  for (uint64_t n = 1; n < 101; n += 2) links.push_back(n);
  ASSERT_TRUE(at(0).Record({SmallCrawl::Fetched(0, links)}).ok());
  Commit(0);
  EXPECT_GT(at(0).peers().retained(NodeId{1}).size(), 10u);
  Deliver(0);
  for (uint64_t n : links) EXPECT_GT(CashOf(1, n), 0u) << n;
  EXPECT_EQ(HeldBy(0) + HeldBy(1), cash::kSupply.units());
}

TEST_F(PeersTest, ACutCountsWhatIsUnderWay) {
  FetchAcross();
  const TransferBatch batch = Sealed(0).at(0);
  at(0).EnterEpoch(7);
  at(1).EnterEpoch(7);
  const Cut &here = at(0).cut(), &there = at(1).cut();
  ASSERT_EQ(here.channels.at(0).retained.size(), 1u);
  EXPECT_EQ(here.channels[0].retained[0].cash, batch.Carried());
  EXPECT_EQ(here.table + here.virtual_page + there.table + there.virtual_page + batch.Carried(),
            cash::kSupply.units());
}

TEST_F(PeersTest, TheClockIsTheSumOverTheNodes) {
  FetchAcross();
  const cash::Sum own = at(0).cluster().clock();
  Deliver(0);
  EXPECT_EQ(at(1).cluster().clock(), own) << "as the batch told it";
  ASSERT_TRUE(at(1).Record({SmallCrawl::Fetched(1, {0})}).ok());
  Commit(1);
  EXPECT_GT(at(1).cluster().clock(), own);
  Open(1);
  EXPECT_GT(at(1).cluster().clock(), own) << "after a restart";
}

TEST_F(PeersTest, AFolderOfAnotherNodeOrGenerationIsRefused) {
  Charter charter = SmallCrawl::Charter();
  charter.node = NodeId{1};
  Options options;
  options.owner = OwnerOf;
  options.nodes = 2;
  EXPECT_THAT(Ledger::Open(options, stores_[0], &charter).status().message(), HasSubstr("node"));
  charter.node = NodeId{0};
  charter.generation = 2;
  EXPECT_THAT(Ledger::Open(options, stores_[0], &charter).status().message(),
              HasSubstr("generation"));
}

// The peer's disk is lost; what it had acknowledged is lost with it, what was under way is sealed
// anew for its successor.
TEST_F(PeersTest, ALostPeerBeginsAnewWithWhatWasUnderWay) {
  FetchAcross();
  Deliver(0);
  const cash::Sum lost = HeldBy(1);
  ASSERT_TRUE(at(0).Settle({SmallCrawl::Page(0)}).ok());
  at(0).Hear(NodeId{1}, at(1).Sums());
  at(0).ShareVirtualPage([](NodeId) { return true; });
  Commit(0);
  ASSERT_TRUE(at(0).BeginAnew(NodeId{1}, 2).ok());
  Commit(0);
  EXPECT_EQ(at(0).peers().book(NodeId{1}).closed_sealed_cash, lost);
  Open(0);
  ASSERT_EQ(at(0).peers().retained(NodeId{1}).size(), 1u);
  const TransferBatch batch = DecodeTransferBatch(at(0).SealedBytes(NodeId{1}, 1).value()).value();
  EXPECT_EQ(batch.cash_before, 0u);
  EXPECT_EQ(HeldBy(0) + batch.Carried() + lost, cash::kSupply.units());
}

// Its receiver would stop the channel for good.
TEST_F(PeersTest, ABatchThatWasDamagedOnDiskIsNotSent) {
  FetchAcross();
  const std::string key = KeyOfSealed(NodeId{1}, 1);
  std::string bytes = at(0).SealedBytes(NodeId{1}, 1).value();
  bytes[bytes.size() / 2] ^= 1;
  store::Batch damage;
  damage.Put(store::Table::kOutbox, key, bytes);
  ASSERT_TRUE(stores_[0].Write(damage, store::Sync::kYes).ok());
  EXPECT_EQ(at(0).SealedBytes(NodeId{1}, 1).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(PeersTest, ADamagedOutboxIsRefused) {
  FetchAcross();
  ledgers_[0].reset();
  store::Batch damage;
  damage.Delete(store::Table::kOutbox, KeyOfSealed(NodeId{1}, 1));
  ASSERT_TRUE(stores_[0].Write(damage, store::Sync::kYes).ok());
  Options options;
  options.owner = OwnerOf;
  options.nodes = 2;
  EXPECT_EQ(Ledger::Open(options, stores_[0], nullptr).status().code(),
            absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace opic::ledger
