#include "desk/page_allowance.h"

#include <gtest/gtest.h>

namespace opic::desk {
namespace {

TEST(PageAllowanceTest, ThereIsNoLimitUntilOneIsSet) {
  PageAllowance pages;
  for (int i = 0; i < 1'000; ++i) EXPECT_TRUE(pages.Take());
  EXPECT_FALSE(pages.exhausted());
}

TEST(PageAllowanceTest, EarlierPagesCount) {
  PageAllowance pages;
  pages.CountEarlier(2);
  pages.Limit(3);
  EXPECT_TRUE(pages.Take());
  EXPECT_TRUE(pages.exhausted());
  EXPECT_FALSE(pages.Take());
  pages.Return();
  EXPECT_TRUE(pages.Take());
}

TEST(PageAllowanceTest, WhatWasTakenCountsAgainstANewLimit) {
  PageAllowance pages;
  pages.Limit(2);
  EXPECT_TRUE(pages.Take());
  EXPECT_TRUE(pages.Take());
  pages.Limit(3);  // raised
  EXPECT_FALSE(pages.exhausted());
  EXPECT_TRUE(pages.Take());
  EXPECT_FALSE(pages.Take());
  pages.Limit(1);  // below what was taken
  EXPECT_TRUE(pages.exhausted());
  pages.Return();
  EXPECT_FALSE(pages.Take());
  pages.Limit(0);
  EXPECT_TRUE(pages.Take());
}

}  // namespace
}  // namespace opic::desk
