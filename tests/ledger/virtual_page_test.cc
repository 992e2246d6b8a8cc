// The virtual page's instalments (docs/algorithm.md section 3).
#include "ledger/virtual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace opic::ledger {
namespace {

using ::testing::IsEmpty;

class VirtualPageTest : public testing::Test {
 protected:
  static constexpr uint32_t kShards = 8;

  void AddPages(uint64_t pages, bool done = false) {
    for (uint64_t i = 0; i < pages; ++i) {
      const uint64_t draw = rng_();
      const PageId page(ShardAt(draw % kShards), draw >> 19);
      books_.table().Add(page);
      if (done) books_.table().SetDone(page, true);
    }
  }
  // Pays what is due as one record.
  std::vector<Instalment> Pay(VirtualPage& virtual_page) {
    const std::vector<Instalment> due = virtual_page.Due(books_, cash::Amount());
    const Rounding rounding = books_.RoundingFor({}, due);
    ++log_number_;
    for (size_t i = 0; i < due.size(); ++i) {
      books_.PayInstalment(due[i], i, rounding, log_number_);
    }
    EXPECT_TRUE(books_.Balanced());
    return due;
  }
  std::map<PageId, uint64_t> Cash() {
    std::map<PageId, uint64_t> cash;
    page_table::Cursor cursor;
    books_.table().Walk(cursor, 1 << 30, [&](const page_table::Page& page) {
      cash[page.page] = page.cash.value().units();
    });
    return cash;
  }
  uint64_t balance() const { return books_.virtual_page().units(); }

  base::Rng rng_{1};
  Books books_{kShards, cash::kSupply};
  uint64_t log_number_ = 0;
};

TEST_F(VirtualPageTest, OwesNothingBeforeAVisit) {
  AddPages(100);
  VirtualPage virtual_page(0);
  EXPECT_THAT(Pay(virtual_page), IsEmpty());
}

TEST_F(VirtualPageTest, OwesNothingWhereThereAreNoPages) {
  VirtualPage virtual_page(0);
  virtual_page.VisitsMade(1000);
  EXPECT_THAT(Pay(virtual_page), IsEmpty());
}

// One pass pays every page once, and all pages the same but for the rounding of cells.
TEST_F(VirtualPageTest, IsFairOverAPass) {
  AddPages(1000);
  VirtualPage virtual_page(0);
  for (int visit = 0; visit < 84; ++visit) {  // 1,008 pages are owed
    virtual_page.VisitsMade(1);
    Pay(virtual_page);
  }
  const auto cash = Cash();
  const double even = static_cast<double>(cash::kSupply.units()) * 255 / 256 / 1000;
  EXPECT_EQ(cash.size(), 1000u);
  for (const auto& [page, units] : cash) EXPECT_NEAR(static_cast<double>(units), even, even / 500);
}

TEST_F(VirtualPageTest, KeepsAPartOfTheSupplyForRounding) {
  AddPages(100);
  VirtualPage virtual_page(0.5);
  for (int i = 0; i < 50; ++i) {
    virtual_page.VisitsMade(100);
    Pay(virtual_page);
  }
  EXPECT_GE(balance(), cash::kSupply.units() / 256 - cash::kSupply.units() / 1000);
  EXPECT_LT(balance(), cash::kSupply.units() / 200);
}

TEST_F(VirtualPageTest, PaysAShardWholeWhenItIsDue) {
  AddPages(400);
  VirtualPage virtual_page(0);
  virtual_page.VisitsMade(10);  // 120 pages: two shards of some fifty pages each
  const auto due = Pay(virtual_page);
  ASSERT_EQ(due.size(), 2u);
  EXPECT_EQ(due[0].first, 0u);
  EXPECT_EQ(due[0].last, kPageIdCount);
  EXPECT_EQ(due[1].shard, ShardId{1});
}

TEST_F(VirtualPageTest, PaysALargeShardInRangesThatCoverItOnce) {
  AddPages(800);
  VirtualPage virtual_page(0, /*range_pages=*/30);
  std::map<uint16_t, uint64_t> covered;
  for (int visit = 0; visit < 60; ++visit) {
    virtual_page.VisitsMade(1);
    for (const Instalment& due : Pay(virtual_page)) {
      if (due.shard == ShardId{7}) continue;  // perhaps not to its end
      EXPECT_EQ(due.first, covered[due.shard.value]);
      covered[due.shard.value] = due.last;
      EXPECT_LE(books_.PayeesOf(due), 60u);
    }
  }
  ASSERT_GE(covered.size(), 4u);
  for (uint16_t shard = 0; shard < 4; ++shard) EXPECT_EQ(covered[shard], kPageIdCount) << shard;
}

// The parts were counted anew while the shard grew, and a range was paid twice.
TEST_F(VirtualPageTest, AShardThatGrowsInTheMiddleOfItsPartsIsStillCoveredOnce) {
  AddPages(30 * kShards);
  VirtualPage virtual_page(0, /*range_pages=*/20);
  std::map<uint16_t, uint64_t> covered;
  for (int visit = 0; visit < 12; ++visit) {
    virtual_page.VisitsMade(1);
    for (const Instalment& due : Pay(virtual_page)) {
      EXPECT_EQ(due.first, covered[due.shard.value]) << "shard " << due.shard.value;
      covered[due.shard.value] = due.last;
    }
    AddPages(100);
  }
  EXPECT_FALSE(covered.empty());
}

TEST_F(VirtualPageTest, TheUnreadShareGoesToUnreadPagesOnly) {
  AddPages(500, /*done=*/true);
  const auto done = Cash();
  AddPages(500);
  VirtualPage virtual_page(0.5);
  virtual_page.VisitsMade(84);
  Pay(virtual_page);
  uint64_t to_done = 0, to_unread = 0;
  for (const auto& [page, units] : Cash()) (done.contains(page) ? to_done : to_unread) += units;
  // Half is for all, half for the unread half: a quarter and three quarters.
  EXPECT_NEAR(static_cast<double>(to_unread) / static_cast<double>(to_done), 3, 0.05);
}

TEST_F(VirtualPageTest, WithoutUnreadPagesTheirShareIsForAll) {
  AddPages(100, /*done=*/true);
  VirtualPage virtual_page(1);
  virtual_page.VisitsMade(20);
  Pay(virtual_page);
  EXPECT_LT(balance(), cash::kSupply.units() / 200);
}

TEST_F(VirtualPageTest, NeverOwesMoreThanOnePass) {
  AddPages(50);
  VirtualPage virtual_page(0);
  virtual_page.VisitsMade(1'000'000);
  Pay(virtual_page);
  Pay(virtual_page);
  EXPECT_THAT(virtual_page.Due(books_, cash::Amount()), IsEmpty());
}

TEST_F(VirtualPageTest, ARecordHasABoundedNumberOfInstalments) {
  Books books(1024, cash::kSupply, cash::kSupply);
  for (uint16_t shard = 0; shard < 1024; ++shard) books.table().Add(PageId(ShardId{shard}, 1));
  VirtualPage virtual_page(0.3);
  virtual_page.VisitsMade(1000);
  EXPECT_LE(virtual_page.Due(books, cash::Amount()).size(), 256u);
  EXPECT_GE(virtual_page.Due(books, cash::Amount()).size(), 200u);
}

// A supply too small to give each page a unit.
TEST_F(VirtualPageTest, APoorAccountPaysNothingAndComesToAnEnd) {
  Books poor(kShards, cash::Amount(10));
  for (uint64_t id = 0; id < 100; ++id) poor.table().Add(PageId(ShardId{1}, id));
  VirtualPage virtual_page(0.5);
  virtual_page.VisitsMade(1000);
  EXPECT_THAT(virtual_page.Due(poor, cash::Amount()), IsEmpty());
}

// More parts than pages in every shard, and nothing to pay: the debt never fell.
TEST_F(VirtualPageTest, APassOfNearlyEmptyPartsComesToAnEnd) {
  Books poor(kShards, cash::Amount(1));
  for (uint64_t id = 0; id < 3; ++id) poor.table().Add(PageId(ShardId{1}, id));
  VirtualPage virtual_page(0, /*range_pages=*/1);
  virtual_page.VisitsMade(1);
  EXPECT_THAT(virtual_page.Due(poor, cash::Amount()), IsEmpty());
}

}  // namespace
}  // namespace opic::ledger
