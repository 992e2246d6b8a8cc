#include "page_table/page_table.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/page_table/pages_of.h"

namespace opic::page_table {
namespace {

using cash::Amount;

class PageTableTest : public testing::Test {
 protected:
  void Pay(PageId page, uint64_t units) {
    table_.Apply(std::vector<Credit>{{page, Amount(units)}}, ++log_number_, cash::kSupply);
  }

  const PageId a_{ShardId{0}, 5}, b_{ShardId{3}, kPageIdCount - 1};
  PageTable table_{4};
  uint64_t log_number_ = 0;
};

TEST_F(PageTableTest, NewPageIsUnreadWithoutCash) {
  EXPECT_TRUE(table_.Add(a_));
  const auto page = table_.Find(a_);
  ASSERT_TRUE(page);
  EXPECT_EQ(page->page, a_);
  EXPECT_EQ(page->cash.value(), Amount());
  EXPECT_FALSE(page->done || page->ordered);
}

TEST_F(PageTableTest, AddingAKnownPageChangesNothing) {
  Pay(a_, 7);
  EXPECT_FALSE(table_.Add(a_));
  EXPECT_EQ(table_.Find(a_)->cash.value(), Amount(7));
}

TEST_F(PageTableTest, PageOfAnotherShardWithTheSameIdIsAnotherPage) {
  table_.Add(a_);
  EXPECT_FALSE(table_.Find(PageId(ShardId{1}, a_.id())));
}

TEST_F(PageTableTest, EmptyTableAllocatesNothing) {
  EXPECT_EQ(table_.totals().bytes, 0u);
  EXPECT_FALSE(table_.Find(a_));
}

TEST_F(PageTableTest, CreditAddsAnUnknownPage) {
  Pay(b_, 40);
  EXPECT_EQ(table_.totals().pages, 1u);
  EXPECT_EQ(table_.Find(b_)->cash.value(), Amount(40));
}

TEST_F(PageTableTest, TakingLeavesNothing) {
  Pay(a_, 40);
  EXPECT_EQ(table_.Take(a_), Amount(40));
  EXPECT_EQ(table_.Take(a_), Amount(0));
  EXPECT_EQ(table_.totals().cash, 0u);
}

TEST_F(PageTableTest, SettingDoneClearsOrdered) {
  table_.Add(a_);
  table_.SetOrdered(a_, true);
  EXPECT_EQ(table_.totals().ordered, 1u);
  table_.SetDone(a_, true);
  EXPECT_FALSE(table_.Find(a_)->ordered);
  EXPECT_EQ(table_.totals().ordered, 0u);
  EXPECT_EQ(table_.totals(a_.shard()).done, 1u);
}

TEST_F(PageTableTest, OrderedDonePageIsNotCountedAsOrdered) {
  table_.Add(a_);
  table_.SetDone(a_, true);
  table_.SetOrdered(a_, true);
  EXPECT_TRUE(table_.Find(a_)->ordered);
  EXPECT_EQ(table_.totals().ordered, 0u);
  table_.SetDone(a_, false);
  EXPECT_EQ(table_.totals().ordered, 1u);
}

TEST_F(PageTableTest, ClearOrderedReachesEveryPage) {
  for (uint64_t id = 0; id < 5000; ++id) {
    table_.Add(PageId(ShardId{2}, id << 30));
    table_.SetOrdered(PageId(ShardId{2}, id << 30), true);
  }
  table_.ClearOrdered();
  EXPECT_EQ(table_.totals().ordered, 0u);
  for (const auto& [page, state] : PagesOf(table_)) ASSERT_FALSE(state.ordered);
}

TEST_F(PageTableTest, RepeatedCreditsInOneBatchAddUpInOrder) {
  std::vector<Credit> credits(500, Credit{a_, Amount(3)});
  credits.push_back({b_, Amount(1)});
  EXPECT_EQ(table_.Apply(credits, 1, Amount()), 0);
  EXPECT_EQ(table_.Find(a_)->cash.value(), Amount(1500));
}

// So that a shard can be recovered without the others (the replay rule).
TEST_F(PageTableTest, NoShardRoundsByWhatAnotherHasLeft) {
  const std::vector<Credit> of_b(100, Credit{b_, Amount(3001)});
  std::vector<Credit> of_both(100, Credit{a_, Amount(3001)});
  of_both.insert(of_both.end(), of_b.begin(), of_b.end());
  PageTable alone(4);
  const cash::Sum left_of_b = alone.Apply(of_b, 1, Amount());
  EXPECT_GT(left_of_b, 0) << "nothing was rounded";
  EXPECT_GT(table_.Apply(of_both, 1, Amount()), left_of_b);
  EXPECT_EQ(table_.Find(b_)->cash, alone.Find(b_)->cash);
}

// More than are looked for at once, of pages that are known and new ones among them.
TEST_F(PageTableTest, CreditsAddPagesAmongKnownOnes) {
  for (const uint64_t pages : {2'000, 20'000}) {  // a roster, and segments that grow meanwhile
    std::vector<Credit> credits;
    PageTable table(1);
    for (uint64_t i = 0; i < pages; ++i) {
      const PageId page(ShardId{0}, base::Mix64(i) >> (64 - kPageIdBits));
      if (i % 2 == 0) table.Add(page);
      credits.push_back({page, Amount(1)});
      if (i % 3 == 0) credits.push_back({page, Amount(1)});
    }
    table.Apply(credits, 1, Amount());
    EXPECT_EQ(table.totals().pages, pages);
    for (uint64_t i = 0; i < pages; ++i) {
      const PageId page(ShardId{0}, base::Mix64(i) >> (64 - kPageIdBits));
      ASSERT_EQ(table.Find(page)->cash.value(), Amount(i % 3 == 0 ? 2 : 1));
    }
  }
}

// Segments are replaced, and their memory goes back to the system, while credits are on their way.
TEST_F(PageTableTest, CreditsOfOneBatchReachPagesThatMoveMeanwhile) {
  constexpr uint64_t kPages = 400'000;
  std::vector<Credit> credits;
  for (uint64_t i = 0; i < kPages; ++i) {
    const PageId page(ShardId{0}, base::Mix64(i / 2) >> (64 - kPageIdBits));
    credits.push_back({page, cash::Amount(1)});
  }
  PageTable table(1);
  EXPECT_EQ(table.Apply(credits, 1, cash::Amount(0)), 0);
  EXPECT_EQ(table.totals().cash, cash::Sum{kPages});
  const auto pages = PagesOf(table);
  EXPECT_EQ(pages.size(), kPages / 2);
  for (const auto& [page, state] : pages) ASSERT_EQ(state.cash.value(), cash::Amount(2));
}

TEST_F(PageTableTest, UnknownPageHasNoStateToSet) {
  EXPECT_DEATH(table_.SetDone(a_, true), "unknown page");
  EXPECT_DEATH(table_.Take(a_), "unknown page");
}

TEST_F(PageTableTest, ShardBeyondTheTableIsABug) {
  EXPECT_DEATH(table_.Add(PageId(ShardId{4}, 0)), "no shard 4");
}

TEST_F(PageTableTest, AMovedPageHasTheVeryCellItHad) {
  const cash::Cell cell = cash::Cell::TowardsZero(Amount(123'456'789));
  EXPECT_TRUE(table_.AddMoved({a_, cell, /*done=*/true, /*ordered=*/true}));
  EXPECT_EQ(table_.Find(a_)->cash, cell);
  EXPECT_TRUE(table_.Find(a_)->done);
  EXPECT_FALSE(table_.Find(a_)->ordered) << "that is of the node it left";
  EXPECT_EQ(table_.totals().cash, cell.value().units());
  EXPECT_FALSE(table_.AddMoved({a_, cash::Cell(), false})) << "known already";
  EXPECT_EQ(table_.Find(a_)->cash, cell);
}

TEST_F(PageTableTest, ADroppedShardIsForgottenAndTheOthersAreNot) {
  const PageId other(ShardId{1}, 77);
  table_.Add(a_);
  table_.Add(other);
  table_.Drop(a_.shard());
  EXPECT_FALSE(table_.Find(a_));
  EXPECT_TRUE(table_.Find(other));
  EXPECT_EQ(table_.totals().pages, 1u);
  EXPECT_EQ(table_.totals(a_.shard()).bytes, 0u);
  EXPECT_TRUE(table_.Add(a_));
}

}  // namespace
}  // namespace opic::page_table
