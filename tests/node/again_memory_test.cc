#include "node/again_memory.h"

#include <gtest/gtest.h>

#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

TEST(AgainMemoryTest, TheLastTimeIsRemembered) {
  const auto store = NewMemoryStore();
  EXPECT_EQ(*AskedAgain(*store), absl::InfinitePast());
  for (const int64_t micros : {1'000'001, 2'000'002}) {
    ASSERT_TRUE(RememberAgain(*store, absl::FromUnixMicros(micros)).ok());
    EXPECT_EQ(*AskedAgain(*store), absl::FromUnixMicros(micros));
  }
}

TEST(AgainMemoryTest, WhatCannotBeReadIsToldAsDamage) {
  const auto store = NewMemoryStore();
  store::Batch batch;
  batch.Put(store::Table::kMeta, "again", "yes");
  ASSERT_TRUE(store->Write(batch, store::Sync::kNo).ok());
  EXPECT_TRUE(absl::IsDataLoss(AskedAgain(*store).status()));
}

}  // namespace
}  // namespace opic::node
