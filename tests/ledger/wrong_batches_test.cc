// Batches and moved shards of ledger push that no honest peer seals: each is refused when it comes,
// before it can end the process or stay in the folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/ledger/moving_ledgers.h"

namespace opic::ledger {
namespace {

using testing::HasSubstr;

class WrongBatchesTest : public MovingLedgers {
 protected:
  static constexpr int64_t kMuch = cash::kSupply.units() / 2 * 3;

  WrongBatchesTest() : MovingLedgers(importance::Method::kPush) {}

  // Node B pays A's pages `plus` and `minus` as much as a batch may.
  absl::StatusOr<Receipt> Pay(uint64_t plus, uint64_t minus) {
    const PeerBook& book = at(kA).peers().working(kB);
    TransferBatch batch{.cluster_id = at(kA).charter().cluster_id, .from = kB, .to = kA};
    batch.method = method_;
    batch.sequence = book.applied + 1;
    batch.cash_before = batch.cash_after = book.applied_cash;
    batch.transfers = {{SmallCrawl::Page(plus), cash::Amount(kMuch)},
                       {SmallCrawl::Page(minus), cash::Amount(-kMuch)}};
    std::sort(batch.transfers.begin(), batch.transfers.end(),
              [](const Transfer& a, const Transfer& b) { return a.page < b.page; });
    return at(kA).Receive(batch);
  }
  static void ExpectTooMuch(const absl::Status& status) {
    EXPECT_EQ(CodeOf(status), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(), HasSubstr("more than there can be"));
  }
  // The first batch of shard kShard's move from A to B, with the rows of a page that A has read.
  TransferBatch Moved() {
    Crawl();
    EXPECT_TRUE(at(kA).moves().Depart(kShard, kB, "").ok());
    Commit(kA);
    return Next(kA, kB);
  }
  static MovedPage& ReadPage(TransferBatch& batch) {
    for (MovedPage& page : batch.chunk->pages) {
      if (page.done) return page;
    }
    ADD_FAILURE() << "no page is done";
    return batch.chunk->pages[0];
  }
  // What B says of the move when the row of a read page was changed.
  std::string RefusalAfter(const TransferBatch& right, const std::function<void(HistoryRow&)>& f) {
    TransferBatch batch = right;
    MovedPage& page = ReadPage(batch);
    HistoryRow row = DecodeHistoryRow(page.history, at(kB).window()).value();
    f(row);
    page.history = Encode(row, at(kB).window());
    return std::string(at(kB).Receive(batch).status().message());
  }
};

TEST_F(WrongBatchesTest, NoPageIsPaidMoreThanThereCanBe) {
  Crawl();
  absl::Status last;
  for (int n = 0; n < 3 && last.ok(); ++n) {
    last = Pay(0, 4).status();
    Commit(kA);
  }
  ExpectTooMuch(last);
  EXPECT_TRUE(Pay(4, 0).ok()) << "it is paid back";
  Commit(kA);
}

TEST_F(WrongBatchesTest, NorByTheBatchesOfOneGroup) {
  Crawl();
  absl::Status last;
  for (int n = 0; n < 3 && last.ok(); ++n) last = Pay(0, 4).status();
  ExpectTooMuch(last);
  Commit(kA);
}

TEST_F(WrongBatchesTest, NorIsMoreHeldForAPageThatIsNotKnownYet) {
  Crawl();
  absl::Status last;
  for (int n = 0; n < 8 && last.ok(); ++n) {
    last = Pay(12, 16).status();
    Commit(kA);
  }
  ExpectTooMuch(last);
}

// What comes for unknown pages is on the virtual page until they are known.
TEST_F(WrongBatchesTest, NorDoesTheVirtualPageTakeMore) {
  std::vector<uint64_t> pages;
  for (uint64_t n = 0; n < 40; n += 4) pages.push_back(n);
  at(kA).Seed(SmallCrawl::Links(pages));
  Commit(kA);
  absl::Status last;
  for (uint64_t n = 0; n < 40 && last.ok(); n += 4) {
    last = Pay(100 + n, n).status();
    Commit(kA);
  }
  ExpectTooMuch(last);
}

TEST_F(WrongBatchesTest, AMovedPageThatIsDoneWasVisited) {
  const TransferBatch right = Moved();
  EXPECT_THAT(RefusalAfter(right, [](HistoryRow& row) { row.visits = 0; }),
              HasSubstr("was never visited"));
  TransferBatch batch = right;
  ReadPage(batch).history.clear();
  EXPECT_THAT(at(kB).Receive(batch).status().message(), HasSubstr("was never visited"));
  EXPECT_EQ(RefusalAfter(right, [](HistoryRow&) {}), "");
  Commit(kB);
  EXPECT_EQ(at(kB).books().reread(), 0u);
}

TEST_F(WrongBatchesTest, AMovedPageLinksToShardsThatExist) {
  const TransferBatch right = Moved();
  EXPECT_THAT(RefusalAfter(right,
                           [](HistoryRow& row) {
                             row.links.push_back(PageId(ShardId{SmallCrawl::kShards}, 7));
                             std::sort(row.links.begin(), row.links.end());
                           }),
              HasSubstr("links to shard 4, which does not exist"));
}

TEST_F(WrongBatchesTest, AMovedPageHasNotRecordedMoreThanThereCanBe) {
  const TransferBatch right = Moved();
  for (const cash::Sum sum : {cash::Sum{1} << 63, -(cash::Sum{1} << 63), cash::Sum{1} << 126}) {
    EXPECT_THAT(RefusalAfter(right, [&](HistoryRow& row) { row.history.sum = sum; }),
                HasSubstr("recorded more than there can be"));
  }
  EXPECT_EQ(
      RefusalAfter(right,
                   [](HistoryRow& row) { row.history.sum = std::numeric_limits<int64_t>::max(); }),
      "");
}

}  // namespace
}  // namespace opic::ledger
