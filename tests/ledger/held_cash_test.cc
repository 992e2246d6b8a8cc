#include "ledger/held_cash.h"

#include <gtest/gtest.h>

#include "tests/support/memory_store.h"

namespace opic::ledger {
namespace {

const PageId kPage(ShardId{3}, 17), kOther(ShardId{4}, 1);

class HeldCashTest : public testing::Test {
 protected:
  void Commit() {
    store::Batch batch;
    held_.WriteTo(batch);
    held_.Committed();
    ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  }
  HeldCash Reloaded() {
    HeldCash again;
    EXPECT_TRUE(again.Load(*store_).ok());
    return again;
  }

  std::unique_ptr<store::Store> store_ = NewMemoryStore();
  HeldCash held_;
};

TEST_F(HeldCashTest, AddsUpBothSensesAndLastsOverARestart) {
  held_.Hold(kPage, cash::Amount(70));
  held_.Hold(kPage, cash::Amount(-100));
  Commit();
  EXPECT_EQ(Reloaded().Take(kPage), cash::Amount(-30));
}

TEST_F(HeldCashTest, WhatWasTakenIsHeldNoMore) {
  held_.Hold(kPage, cash::Amount(70));
  Commit();
  EXPECT_EQ(held_.Take(kPage), cash::Amount(70));
  EXPECT_EQ(held_.Take(kPage), cash::Amount());
  Commit();
  EXPECT_EQ(Reloaded().pages(), 0u);
}

TEST_F(HeldCashTest, AShardIsTakenWhole) {
  held_.Hold(kPage, cash::Amount(1));
  held_.Hold(kOther, cash::Amount(2));
  ASSERT_EQ(held_.TakeShard(ShardId{3}).size(), 1u);
  Commit();
  EXPECT_EQ(Reloaded().Take(kPage), cash::Amount());
  EXPECT_EQ(Reloaded().Take(kOther), cash::Amount(2));
}

TEST_F(HeldCashTest, ADamagedRowIsRefused) {
  store::Batch batch;
  batch.Put(store::Table::kMeta, "held/short", "x");
  ASSERT_TRUE(store_->Write(batch, store::Sync::kYes).ok());
  EXPECT_TRUE(absl::IsDataLoss(held_.Load(*store_)));
}

}  // namespace
}  // namespace opic::ledger
