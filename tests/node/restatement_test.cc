// Restating the folders of a cluster at rest: each drift is corrected once, by the node whose page
// it is.
#include "node/restatement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/resting_ledger.h"
#include "tests/ledger/moving_ledgers.h"

namespace opic::node {
namespace {

using ledger::kA, ledger::kB, ledger::kC;

class RestatementTest : public ledger::MovingLedgers {
 protected:
  RestatementTest() : MovingLedgers(importance::Method::kPush) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~RestatementTest() override { std::filesystem::remove_all(path_); }

  // The page has recorded more than its cash and links say.
  void Damage(NodeId node, uint64_t page) {
    const std::string key = ledger::KeyOf(SmallCrawl::Page(page));
    ledger::HistoryRow row =
        ledger::DecodeHistoryRow(*stores_[node.value]->Get(store::Table::kHistory, key).value(),
                                 at(node).window())
            .value();
    row.history.sum += 37;
    store::Batch batch;
    batch.Put(store::Table::kHistory, key, ledger::Encode(row, at(node).window()));
    ASSERT_TRUE(stores_[node.value]->Write(batch, store::Sync::kYes).ok());
  }
  // The nodes end, and their rows are on disk.
  void ComeToRest() {
    for (NodeId node : {kA, kB, kC}) {
      folders_.push_back(DataFolder::Lock(path_ + "/" + std::to_string(node.value), true).value());
      store::Batch batch;
      for (int t = 0; t < store::kTableCount; ++t) {
        const auto table = static_cast<store::Table>(t);
        for (auto row = stores_[node.value]->Scan(table, ""); row->Valid(); row->Next())
          batch.Put(table, std::string(row->key()), std::string(row->value()));
      }
      ledgers_[node.value].reset();
      const auto on_disk = store::OpenRocksStore(folders_.back()->store(), {}).value();
      ASSERT_TRUE(on_disk->Write(batch, store::Sync::kYes).ok());
    }
  }
  uint64_t PagesOff() { return Restate(folders_, /*correct=*/false).value().off; }
  // Cash that a node keeps for pages whose names it waits for.
  size_t PagesHeldFor() {
    size_t pages = 0;
    for (const auto& folder : folders_)
      pages += RestingLedger::Open(*folder).value().ledger->held().All().size();
    return pages;
  }
  void ExpectCorrected() {
    EXPECT_GT(PagesOff(), 0u);
    const auto restated = Restate(folders_, /*correct=*/true);
    ASSERT_TRUE(restated.ok()) << restated.status();
    EXPECT_EQ(PagesOff(), 0u);
    EXPECT_EQ(PagesHeldFor(), 0u);
  }

  const std::string path_ = support::OwnPath("folders");
  std::vector<std::unique_ptr<DataFolder>> folders_;
};

TEST_F(RestatementTest, ADriftIsCorrectedByItsNodeAlone) {
  Crawl();
  Damage(kA, 0);
  ASSERT_NO_FATAL_FAILURE(ComeToRest());
  ExpectCorrected();
}

// C has not heard of the move.
TEST_F(RestatementTest, AShardThatHasMovedIsItsNewNodes) {
  Crawl();
  Move(kA, kB);
  at(kA).Seed(SmallCrawl::Links({3}));
  Commit(kA);  // with what B has acknowledged
  Damage(kB, 0);
  ASSERT_NO_FATAL_FAILURE(ComeToRest());
  ExpectCorrected();
}

// What A's links pay to page 1 would get lost, and nothing would ask for another restating.
TEST_F(RestatementTest, PagesThatNoFolderHasYetAreWaitedFor) {
  Crawl();
  ASSERT_NO_FATAL_FAILURE(Lose(kB));
  ASSERT_TRUE(at(kA).restating().due());
  ASSERT_NO_FATAL_FAILURE(ComeToRest());
  const absl::Status refused = Restate(folders_, /*correct=*/true).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()),
              testing::HasSubstr("no folder has a page of shard 1"));
  EXPECT_TRUE(RestingLedger::Open(*folders_.front()).value().ledger->restating().due());
}

}  // namespace
}  // namespace opic::node
