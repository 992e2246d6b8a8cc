#include "schedule/favoured_pages.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace opic::schedule {
namespace {

class FavouredPagesTest : public testing::Test {
 protected:
  static PageId Page(uint64_t id) { return PageId(ShardAt(0), id); }
  void Add(uint64_t id, double factor, int64_t cash) {
    cash_[Page(id)] = cash;
    pages_.Add(Page(id), factor, [this](PageId page) { return CashOf(page); });
  }
  std::vector<PageId> Take(size_t most, int64_t threshold) {
    std::vector<PageId> taken;
    for (const Candidate& candidate :
         pages_.Take(most, cash::Amount(threshold), [this](PageId page) { return CashOf(page); })) {
      EXPECT_EQ(candidate.cash.units(), cash_[candidate.page]) << "without the factor";
      taken.push_back(candidate.page);
    }
    return taken;
  }
  std::optional<cash::Amount> CashOf(PageId page) {
    ++looks_;
    const auto found = cash_.find(page);
    if (found == cash_.end()) return std::nullopt;
    return cash::Amount(found->second);
  }

  std::map<PageId, int64_t> cash_;
  FavouredPages pages_{100};
  int looks_ = 0;
};

TEST_F(FavouredPagesTest, ThoseThatCountMostComeFirstFromTheThresholdOn) {
  Add(1, 10, 5);  // counts 50
  Add(2, 2, 30);  // 60
  Add(3, 2, 10);  // 20
  EXPECT_TRUE(Take(9, 61).empty());
  EXPECT_EQ(Take(1, 20), (std::vector{Page(2)}));
  EXPECT_EQ(Take(9, 21), (std::vector{Page(1)}));
  EXPECT_EQ(Take(9, 0), (std::vector{Page(3)}));
  EXPECT_EQ(pages_.size(), 0u) << "what was taken is listed no more";
}

TEST_F(FavouredPagesTest, CashThatHasComeOrGoneCounts) {
  Add(1, 10, 1);
  Add(2, 10, 5);
  cash_[Page(1)] = 100;
  cash_[Page(2)] = 3;
  std::vector<PageId> taken;
  for (int i = 0; i < 100 && taken.empty(); ++i) taken = Take(9, 40);
  EXPECT_EQ(taken, (std::vector{Page(1)}));
  EXPECT_EQ(pages_.size(), 1u);
}

TEST_F(FavouredPagesTest, WhatIsNotToBeChosenAnyMoreLeaves) {
  Add(1, 10, 7);
  Add(2, 10, 5);
  cash_.erase(Page(1));
  EXPECT_EQ(Take(1, 0), (std::vector{Page(2)}));
  EXPECT_EQ(pages_.size(), 0u);
}

TEST_F(FavouredPagesTest, AFullListKeepsThoseThatCountMostAndSaysSo) {
  for (uint64_t id = 1; id <= 100; ++id) Add(id, 2, static_cast<int64_t>(id));
  EXPECT_FALSE(pages_.TakeLeftOut());
  Add(101, 2, 101);
  EXPECT_TRUE(pages_.TakeLeftOut());
  EXPECT_FALSE(pages_.TakeLeftOut());
  EXPECT_EQ(pages_.size(), 51u);
  const std::vector<PageId> taken = Take(100, 0);
  ASSERT_EQ(taken.size(), 51u);
  EXPECT_EQ(taken.front(), Page(101));
  EXPECT_EQ(taken.back(), Page(51));
}

TEST_F(FavouredPagesTest, APageIsListedOnceAndAgainWhenItWasTaken) {
  Add(1, 2, 5);
  Add(1, 9, 5);
  EXPECT_EQ(pages_.size(), 1u);
  EXPECT_TRUE(Take(9, 11).empty()) << "the first factor stays";
  EXPECT_EQ(Take(9, 10).size(), 1u);
  Add(1, 9, 5);
  EXPECT_EQ(Take(9, 45).size(), 1u);
}

// Else each of thousands of questions a second would look at the whole list.
TEST_F(FavouredPagesTest, AQuestionCostsAFewLooks) {
  FavouredPages many(10'000);
  const auto cash_of = [this](PageId) {
    ++looks_;
    return cash::Amount(1);
  };
  for (uint64_t id = 1; id <= 10'000; ++id) many.Add(Page(id), 2, cash_of);
  looks_ = 0;
  for (int i = 0; i < 10'000; ++i) EXPECT_TRUE(many.Take(9, cash::Amount(3), cash_of).empty());
  EXPECT_LE(looks_, 9 * 10'000);
}

TEST_F(FavouredPagesTest, ACountIsNeverAboveTheSupply) {
  EXPECT_EQ(Weighed(cash::kSupply, 1e6), cash::kSupply);
  EXPECT_EQ(Weighed(cash::Amount(7), 10), cash::Amount(70));
  EXPECT_EQ(Weighed(cash::Amount(70), 0.1), cash::Amount(7));
}

}  // namespace
}  // namespace opic::schedule
