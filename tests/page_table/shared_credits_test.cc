// Credits that two threads pay (PageTable::UseHelper) against those that one pays.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/rng.h"
#include "page_table/shard_copies.h"
#include "tests/page_table/pages_of.h"

namespace opic::page_table {
namespace {

class SharedCreditsTest : public testing::Test {
 protected:
  static constexpr uint32_t kShards = 16;
  static constexpr uint64_t kPages = 200'000;

  SharedCreditsTest() { both_.UseHelper(); }

  // To pages that are known, of which some are done, and to new ones; some are debts.
  std::vector<Credit> Credits(size_t count) {
    std::vector<Credit> credits(count);
    for (Credit& credit : credits) {
      const uint64_t hash = base::Mix64(rng_.Below(kPages));
      const PageId page(ShardAt(hash % kShards), hash >> (64 - kPageIdBits));
      const auto units = static_cast<int64_t>(rng_.Below(uint64_t{1} << 40));
      credit = {page, cash::Amount(rng_.Below(3) == 0 ? -units : units)};
    }
    std::ranges::stable_sort(credits, {}, [](const Credit& credit) { return credit.page.shard(); });
    return credits;
  }
  void Apply(size_t count) {
    const std::vector<Credit> credits = Credits(count);
    ++log_number_;
    const cash::Amount loan = log_number_ % 2 == 0 ? cash::kSupply : cash::Amount();
    ASSERT_EQ(both_.Apply(credits, log_number_, loan), one_.Apply(credits, log_number_, loan));
    for (const Credit& credit : credits) {
      if (rng_.Below(2) == 0) continue;
      one_.SetDone(credit.page, true);
      both_.SetDone(credit.page, true);
    }
  }
  void Compare() {
    const auto pages = PagesOf(both_);
    EXPECT_EQ(pages, PagesOf(one_));
    const Totals totals = TotalsOf(pages, both_.reference()), told = both_.totals();
    EXPECT_EQ(told.pages, totals.pages);
    EXPECT_EQ(told.done, totals.done);
    EXPECT_EQ(told.in_debt, totals.in_debt);
    EXPECT_EQ(told.cash, totals.cash);
    EXPECT_EQ(told.bytes, one_.totals().bytes);
    EXPECT_EQ(told.done_cash, totals.done_cash);
    EXPECT_EQ(told.done_magnitude, totals.done_magnitude);
    EXPECT_EQ(told.done_deviation, totals.done_deviation);
    EXPECT_EQ(told.undone_debt, totals.undone_debt);
    for (uint32_t shard = 0; shard < kShards; ++shard) {
      const ShardTotals of_two = both_.totals(ShardAt(shard)), of_one = one_.totals(ShardAt(shard));
      EXPECT_EQ(of_two.pages, of_one.pages);
      EXPECT_EQ(of_two.done, of_one.done);
      EXPECT_EQ(of_two.in_debt, of_one.in_debt);
      EXPECT_EQ(of_two.cash, of_one.cash);
      EXPECT_EQ(of_two.bytes, of_one.bytes);
    }
    EXPECT_EQ(both_.roundings(), one_.roundings());
  }

  PageTable one_{kShards}, both_{kShards};
  base::Rng rng_{1};
  uint64_t log_number_ = 0;
};

TEST_F(SharedCreditsTest, AreThoseThatOneThreadPays) {
  one_.SetReference(cash::Amount(1'000'000));
  both_.SetReference(cash::Amount(1'000'000));
  Apply(100);
  const absl::Duration before = both_.helper_cpu();
  for (int round = 0; round < 60; ++round) Apply(round % 3 == 0 ? 100 : 10'000);
  Compare();
  EXPECT_GT(both_.helper_cpu(), before) << "one thread has paid all";
  EXPECT_EQ(one_.helper_cpu(), absl::ZeroDuration());
}

TEST_F(SharedCreditsTest, OfOneShardToo) {
  std::vector<Credit> credits = Credits(200'000);
  std::erase_if(credits, [](const Credit& credit) { return credit.page.shard() != ShardId{3}; });
  ASSERT_GT(credits.size(), 10'000u);
  EXPECT_EQ(both_.Apply(credits, 1, cash::kSupply), one_.Apply(credits, 1, cash::kSupply));
  Compare();
}

TEST_F(SharedCreditsTest, LeaveCopiesAsTheyWere) {
  Apply(100'000);
  std::vector<ShardId> shards;
  for (uint32_t shard = 0; shard < kShards; ++shard) shards.push_back(ShardAt(shard));
  std::string before;
  for (const ShardId shard : shards)
    both_.Save(shard, [&](std::string_view piece) { before.append(piece); });
  both_.BeginCopy(shards);
  Apply(100'000);
  std::unique_ptr<const ShardCopies> copies;
  while (copies == nullptr) copies = both_.CopySome(1 << 20);
  Compare();
  std::string copied;
  for (size_t index = 0; index < shards.size(); ++index)
    copies->Save(index, [&](std::string_view piece) { copied.append(piece); });
  EXPECT_EQ(copied, before);
}

}  // namespace
}  // namespace opic::page_table
