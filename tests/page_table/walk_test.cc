#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "base/rng.h"
#include "page_table/page_table.h"
#include "tests/page_table/pages_of.h"

namespace opic::page_table {
namespace {

using cash::Amount;

// Three shards: one of segments, one roster, and one without pages between them.
class WalkTest : public testing::Test {
 protected:
  WalkTest() {
    base::Rng rng(1);
    for (int i = 0; i < 20'000; ++i) table_.Add(PageId(ShardId{0}, rng.Below(kPageIdCount)));
    for (int i = 0; i < 100; ++i) table_.Add(PageId(ShardId{2}, rng.Below(kPageIdCount)));
  }

  PageTable table_{4};
};

TEST_F(WalkTest, SlicesMeetEveryPageOnceInATurn) {
  Cursor cursor;
  std::multiset<PageId> met;
  int slices = 1;
  while (!table_.Walk(cursor, 500, [&](const Page& page) { met.insert(page.page); })) ++slices;
  EXPECT_EQ(met.size(), table_.totals().pages);
  EXPECT_EQ(std::set<PageId>(met.begin(), met.end()).size(), met.size());
  EXPECT_GT(slices, 30);
}

TEST_F(WalkTest, SliceIsBoundedByItsSlots) {
  Cursor cursor;
  for (bool end = false; !end;) {
    int pages = 0;
    end = table_.Walk(cursor, 100, [&](const Page&) { ++pages; });
    EXPECT_LT(pages, 100 + 9);
  }
}

TEST_F(WalkTest, BeginsAgainAfterTheEnd) {
  Cursor cursor;
  while (!table_.Walk(cursor, 1000, [](const Page&) {})) continue;
  int pages = 0;
  table_.Walk(cursor, 1000, [&](const Page&) { ++pages; });
  EXPECT_GT(pages, 500);
}

TEST_F(WalkTest, CursorOfAnOlderLayoutOnlyGoesOn) {
  Cursor cursor{0, 7, uint64_t{1} << 40};
  EXPECT_TRUE(table_.Walk(cursor, ~uint64_t{0}, [](const Page&) {}));
}

TEST_F(WalkTest, EmptyTableEndsAtOnce) {
  const PageTable empty(8);
  Cursor cursor;
  EXPECT_TRUE(empty.Walk(cursor, 1, [](const Page&) { FAIL(); }));
  EXPECT_EQ(empty.RandomCursor(~uint64_t{0}).shard, 0u);
}

TEST_F(WalkTest, FiltersShowWhatLookingAtEveryPageWouldFind) {
  base::Rng rng(2);
  std::vector<Credit> credits;
  for (const auto& [page, state] : PagesOf(table_)) {
    const auto units = static_cast<int64_t>(rng.Below(uint64_t{1} << rng.Below(60)));
    credits.push_back({page, Amount(rng.Below(2) == 0 ? units : -units)});
    table_.SetDone(page, rng.Below(2) == 0);
    table_.SetOrdered(page, rng.Below(2) == 0);
  }
  table_.Apply(credits, 1, cash::kSupply);
  const auto pages = PagesOf(table_);
  std::vector<std::optional<bool>> marks = {std::nullopt, false, true};
  for (const auto done : marks) {
    for (const auto ordered : marks) {
      for (const int64_t least : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{1023}, int64_t{4097},
                                  int64_t{1} << 40, std::numeric_limits<int64_t>::max()}) {
        std::set<PageId> expected, met;
        for (const auto& [page, state] : pages) {
          if (done.value_or(state.done) != state.done) continue;
          if (ordered.value_or(state.ordered) != state.ordered) continue;
          const auto magnitude = static_cast<int64_t>(state.cash.value().magnitude());
          if (magnitude >= least) expected.insert(page);
        }
        Cursor cursor;
        table_.Walk(cursor, ~uint64_t{0}, {done, ordered, Amount(least)},
                    [&](const Page& page) { met.insert(page.page); });
        EXPECT_EQ(met, expected) << "at least " << least;
      }
    }
  }
}

// Between two cells lies a floor of which the lower one falls short.
TEST_F(WalkTest, APageAUnitBelowTheFloorIsNotShown) {
  const PageId page = PagesOf(table_).begin()->first;
  const std::vector<Credit> credit = {{page, Amount(int64_t{1} << 40)}};
  table_.Apply(credit, 1, cash::kSupply);
  const Amount held = table_.Find(page)->cash.value();
  for (const int64_t above : {0, 1}) {
    bool shown = false;
    Cursor cursor;
    table_.Walk(cursor, ~uint64_t{0}, {std::nullopt, std::nullopt, held + Amount(above)},
                [&](const Page& met) { shown |= met.page == page; });
    EXPECT_EQ(shown, above == 0);
  }
}

TEST_F(WalkTest, RandomCursorsReachAllPartsInProportion) {
  base::Rng rng(2);
  int in_large = 0;
  std::set<uint64_t> lines;
  for (int i = 0; i < 1000; ++i) {
    Cursor cursor = table_.RandomCursor(rng());
    lines.insert(cursor.bucket);
    in_large += cursor.shard == 0;
    EXPECT_NE(cursor.shard, 1u);
    EXPECT_LT(cursor.shard, 3u);
  }
  EXPECT_GT(in_large, 950);
  EXPECT_GT(lines.size(), 700u);
}

class InstalmentTest : public testing::Test {
 protected:
  InstalmentTest() {
    for (uint64_t id = 0; id < 3000; ++id) table_.Add(PageId(kShard, id << 33));
    table_.SetDone(PageId(kShard, 0), true);
  }
  uint64_t Pay(uint64_t each, bool unread_only = false) {
    return table_.PayRange(kShard, 0, kPageIdCount, unread_only, Amount(each), ++log_, &reserve_);
  }
  Amount All() const { return Amount(static_cast<uint64_t>(table_.totals().cash)) + reserve_; }

  static constexpr ShardId kShard{1};
  PageTable table_{2};
  Amount reserve_{1'000'000'000};
  uint64_t log_ = 0;
};

TEST_F(InstalmentTest, PaysEveryPageAlike) {
  EXPECT_EQ(Pay(1000), 3000u);
  for (const auto& [page, state] : PagesOf(table_)) ASSERT_EQ(state.cash.value(), Amount(1000));
  EXPECT_EQ(reserve_, Amount(1'000'000'000 - 3'000'000));
}

TEST_F(InstalmentTest, UnreadOnlyLeavesOutWhatIsDone) {
  EXPECT_EQ(Pay(1000, /*unread_only=*/true), 2999u);
  EXPECT_EQ(table_.Find(PageId(kShard, 0))->cash.value(), Amount(0));
}

TEST_F(InstalmentTest, RangeHasItsFirstButNotItsLast) {
  const uint64_t first = uint64_t{10} << 33, last = uint64_t{20} << 33;
  EXPECT_EQ(table_.CountRange(kShard, first, last, false), 10u);
  EXPECT_EQ(table_.PayRange(kShard, first, last, false, Amount(5), 1, &reserve_), 10u);
  EXPECT_EQ(table_.Find(PageId(kShard, first))->cash.value(), Amount(5));
  EXPECT_EQ(table_.Find(PageId(kShard, last))->cash.value(), Amount(0));
}

TEST_F(InstalmentTest, NoCashIsMadeOrLost) {
  const Amount before = All();
  for (int i = 0; i < 20; ++i) {
    Pay(4001);
    ASSERT_EQ(All(), before);
  }
}

// With something left in the reserve, chance decides; the mean must be what was paid.
TEST_F(InstalmentTest, RoundsUpSomeAndDownOthers) {
  for (int i = 0; i < 20; ++i) Pay(4001);
  std::set<Amount> values;
  for (const auto& [page, state] : PagesOf(table_)) values.insert(state.cash.value());
  EXPECT_GT(values.size(), 2u);
  EXPECT_NEAR(static_cast<double>(table_.totals().cash) / (3000 * 20 * 4001.0), 1.0, 1e-4);
}

TEST_F(InstalmentTest, ReserveThatCannotRoundUpAllRoundsUpNone) {
  reserve_ = Amount(3000 * 4001 + 100);
  Pay(4001);
  for (const auto& [page, state] : PagesOf(table_)) ASSERT_EQ(state.cash.value(), Amount(4000));
  EXPECT_EQ(reserve_, Amount(3100));
}

TEST_F(InstalmentTest, MoreThanTheReserveIsABug) {
  reserve_ = Amount(2999);
  EXPECT_DEATH(Pay(1), "more cash than there is");
}

TEST_F(InstalmentTest, ShardWithoutPagesIsPaidNothing) {
  EXPECT_EQ(table_.PayRange(ShardId{0}, 0, kPageIdCount, false, Amount(9), 1, &reserve_), 0u);
  EXPECT_EQ(table_.CountRange(ShardId{0}, 0, kPageIdCount, false), 0u);
}

}  // namespace
}  // namespace opic::page_table
