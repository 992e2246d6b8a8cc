#include "node/limits.h"

#include <gtest/gtest.h>

#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

TEST(LimitsTest, AreRecalledAsTheyWereRemembered) {
  const auto store = NewMemoryStore();
  EXPECT_TRUE(RecallLimits(*store)->empty());
  ASSERT_TRUE(RememberLimits(*store, {.pages = 0}).ok());
  EXPECT_EQ(RecallLimits(*store)->pages, 0u);
  EXPECT_EQ(RecallLimits(*store)->in_flight, std::nullopt);
  ASSERT_TRUE(RememberLimits(*store, {.pages = 1'000'000'000'000, .in_flight = 10'000}).ok());
  EXPECT_EQ(RecallLimits(*store)->pages, 1'000'000'000'000u);
  EXPECT_EQ(RecallLimits(*store)->in_flight, 10'000u);
  ASSERT_TRUE(RememberLimits(*store, {}).ok());
  EXPECT_TRUE(RecallLimits(*store)->empty());
}

TEST(LimitsTest, WhatIsNotGivenStays) {
  LimitChanges set{.pages = 7};
  set.Take({.in_flight = 5});
  const Limits limits = set.ApplyTo({.pages = 1, .in_flight = 2});
  EXPECT_EQ(limits.pages, 7u);
  EXPECT_EQ(limits.in_flight, 5u);
  EXPECT_EQ(LimitChanges().ApplyTo({.pages = 1, .in_flight = 2}).in_flight, 2u);
}

TEST(LimitsTest, TheNumberOfPagesIsForgottenAlone) {
  const auto store = NewMemoryStore();
  ASSERT_TRUE(RememberLimits(*store, {.pages = 7, .in_flight = 5}).ok());
  ASSERT_TRUE(ForgetPagesLimit(*store).ok());
  EXPECT_EQ(RecallLimits(*store)->pages, std::nullopt);
  EXPECT_EQ(RecallLimits(*store)->in_flight, 5u);
}

TEST(LimitsTest, NoMoreFetchesThanThereAreFilesFor) {
  EXPECT_TRUE(CheckLimits({.pages = 1}, 1).ok());
  EXPECT_TRUE(CheckLimits({.in_flight = 100}, 100).ok());
  for (const uint32_t wrong : {0u, 101u, 10'001u})
    EXPECT_TRUE(absl::IsInvalidArgument(CheckLimits({.in_flight = wrong}, 100))) << wrong;
  const absl::Status refused = CheckLimits({.in_flight = 101}, 100);
  EXPECT_NE(refused.message().find("set 100 at most,"), std::string::npos) << refused;
}

TEST(LimitsTest, EveryCutIsDamage) {
  const auto store = NewMemoryStore();
  ASSERT_TRUE(RememberLimits(*store, {.pages = 9, .in_flight = 9}).ok());
  const std::string whole = **store->Get(store::Table::kMeta, "limits");
  for (size_t size = 0; size < whole.size(); ++size) {
    store::Batch batch;
    batch.Put(store::Table::kMeta, "limits", whole.substr(0, size));
    ASSERT_TRUE(store->Write(batch, store::Sync::kYes).ok());
    EXPECT_FALSE(RecallLimits(*store).ok()) << size;
  }
}

}  // namespace
}  // namespace opic::node
