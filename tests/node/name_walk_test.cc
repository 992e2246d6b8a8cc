#include "node/name_walk.h"

#include <gtest/gtest.h>

#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

class NameWalkTest : public testing::Test {
 protected:
  // Eight pages on each of four shards.
  void SetUp() override {
    store::Batch batch;
    for (uint32_t shard = 0; shard < 4; ++shard) {
      for (uint64_t id = 0; id < 8; ++id) {
        const PageId page(ShardAt(shard), id);
        batch.Put(store::Table::kPage, ledger::KeyOf(page),
                  ledger::Encode(ledger::PageRow{.url = UrlOf(page), .depth = 0, .stamp = 0}));
      }
    }
    ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  }
  static std::string UrlOf(PageId page) { return "http://a.test/" + std::to_string(page.word()); }
  // All that a walk in slices of so many rows gives.
  std::vector<PageId> Walk(NameWalk walk, size_t rows_max) {
    std::vector<PageId> pages;
    for (int slices = 0; slices < 100; ++slices) {
      size_t read = 0;
      const auto finished = walk.Read(rows_max, [&](PageId page, const ledger::PageRow& row) {
        EXPECT_EQ(row.url, UrlOf(page));
        pages.push_back(page);
        ++read;
        return true;
      });
      EXPECT_TRUE(finished.ok()) << finished.status();
      EXPECT_LE(read, rows_max);
      if (!finished.ok() || *finished) return pages;
    }
    ADD_FAILURE() << "it does not end";
    return pages;
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
};

TEST_F(NameWalkTest, MeetsEveryPageOnceHoweverThinTheSlices) {
  for (const size_t rows : {1, 3, 8, 31, 32, 1'000}) {
    const std::vector<PageId> pages = Walk(NameWalk(*store_), rows);
    EXPECT_EQ(pages.size(), 32u) << rows;
    EXPECT_TRUE(std::is_sorted(pages.begin(), pages.end())) << rows;
  }
}

TEST_F(NameWalkTest, StaysInItsShards) {
  for (const size_t rows : {1, 7, 8, 9, 1'000}) {
    const std::vector<PageId> pages = Walk(NameWalk(*store_, {ShardAt(1), ShardAt(3)}), rows);
    ASSERT_EQ(pages.size(), 16u) << rows;
    for (const PageId page : pages) EXPECT_EQ(page.shard().value % 2, 1) << rows;
  }
  EXPECT_TRUE(Walk(NameWalk(*store_, {ShardAt(9)}), 10).empty());
}

TEST_F(NameWalkTest, GoesOnBehindThePageWithWhichItWasToldToStop) {
  NameWalk walk(*store_);
  size_t read = 0;
  const auto three = [&](PageId, const ledger::PageRow&) { return ++read % 3 != 0; };
  absl::StatusOr<bool> finished = false;
  for (int slices = 0; finished.ok() && !*finished && slices < 100; ++slices)
    finished = walk.Read(1'000, three);
  EXPECT_TRUE(finished.value_or(false));
  EXPECT_EQ(read, 32u);
}

TEST_F(NameWalkTest, ADamagedRowIsAnError) {
  store::Batch batch;
  batch.Put(store::Table::kPage, ledger::KeyOf(PageId(ShardAt(2), 3)), "");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kNo).ok());
  const auto read =
      NameWalk(*store_).Read(1'000, [](PageId, const ledger::PageRow&) { return true; });
  EXPECT_TRUE(absl::IsDataLoss(read.status())) << read.status();
}

}  // namespace
}  // namespace opic::node
