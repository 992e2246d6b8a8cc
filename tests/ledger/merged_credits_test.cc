// Credits of a group are sorted and summed (src/ledger/merged_credits.h): the same as by a map,
// however they lie.
#include "ledger/merged_credits.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace opic::ledger {
namespace {

using page_table::Credit;
using SumsOfPages = std::vector<std::pair<uint64_t, int64_t>>;

void ExpectSums(const std::vector<Credit>& credits) {
  std::map<uint64_t, int64_t> expected;
  for (const Credit& credit : credits) expected[credit.page.word()] += credit.amount.units();
  SumsOfPages merged;
  for (const Credit& credit : MergedCredits(credits))
    merged.push_back({credit.page.word(), credit.amount.units()});
  EXPECT_EQ(merged, SumsOfPages(expected.begin(), expected.end()));
}

Credit Draw(base::Rng& rng, PageId page) {
  return {page, cash::Amount(static_cast<int64_t>(rng.Below(1000)) - 500)};
}

TEST(MergedCredits, OfNoneOrOneAreThese) {
  ExpectSums({});
  ExpectSums({{PageId(ShardId{3}, 7), cash::Amount(5)}});
}

TEST(MergedCredits, ToOnePageAreItsSum) {
  const PageId page(ShardId{3}, 7);
  const std::vector<Credit> credits(1000, Credit{page, cash::Amount(5)});
  const std::vector<Credit> merged = MergedCredits(credits);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].page, page);
  EXPECT_EQ(merged[0].amount.units(), 5000);
}

TEST(MergedCredits, OfNothingAreKept) {
  EXPECT_EQ(MergedCredits({{PageId(ShardId{1}, 2), cash::Amount()},
                           {PageId(ShardId{1}, 1), cash::Amount()},
                           {PageId(ShardId{1}, 2), cash::Amount()}})
                .size(),
            2u);
}

// All but one are so near each other that their numbers do not tell them apart: few pages and many,
// each paid again and again, in any order.
TEST(MergedCredits, OfPagesThatLieTogetherAreSortedAndSummed) {
  base::Rng rng(1);
  for (uint64_t pages = 1; pages <= 40; ++pages) {
    for (uint64_t most : {uint64_t{2}, pages, 10 * pages}) {
      SCOPED_TRACE(pages);
      std::vector<Credit> credits = {Draw(rng, PageId(ShardId{0xffff}, kPageIdCount - 1))};
      for (uint64_t n = 0; n < most; ++n)
        credits.push_back(Draw(rng, PageId(ShardId{2}, rng.Below(pages))));
      ExpectSums(credits);
    }
  }
}

TEST(MergedCredits, OfPagesThatMostVisitsPayAndOfOthersAreSortedAndSummed) {
  base::Rng rng(2);
  for (int group = 0; group < 50; ++group) {
    std::vector<Credit> credits;
    for (uint64_t n = rng.Below(2000); n > 0; --n) {
      const uint64_t number = rng.Below(2) == 0 ? rng.Below(10) : rng.Below(5000);
      const ShardId shard = ShardAt(base::Mix64(number) % 1024);
      credits.push_back(Draw(rng, PageId(shard, base::Mix64(number + 1) % kPageIdCount)));
    }
    ExpectSums(credits);
  }
}

}  // namespace
}  // namespace opic::ledger
