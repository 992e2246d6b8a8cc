#include "node/crawl_memory.h"

#include <gtest/gtest.h>

#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

CrawlMemory Memory() {
  CrawlMemory memory;
  memory.seeds = {"http://a.test/", "http://b.test/x"};
  memory.scope.kind = url::ScopeKind::kDomain;
  memory.scope.include = {"*/docs/*"};
  memory.scope.exclude = {"*.pdf", "*?print"};
  memory.depth_max = 7;
  return memory;
}

TEST(CrawlMemoryTest, IsRecalledAsItWasRemembered) {
  const auto store = NewMemoryStore();
  ASSERT_TRUE(RememberCrawl(*store, Memory()).ok());
  const auto recalled = RecallCrawl(*store);
  ASSERT_TRUE(recalled.ok()) << recalled.status();
  EXPECT_EQ(recalled->seeds, Memory().seeds);
  EXPECT_EQ(recalled->scope.kind, url::ScopeKind::kDomain);
  EXPECT_EQ(recalled->scope.include, Memory().scope.include);
  EXPECT_EQ(recalled->scope.exclude, Memory().scope.exclude);
  EXPECT_EQ(recalled->depth_max, 7u);
  EXPECT_EQ(recalled->traps, url::TrapUse::kSkip);
}

// What is usual has no byte, so that a folder of an earlier release says it, too.
TEST(CrawlMemoryTest, WhatIsDoneWithTrapsIsRememberedIfItIsNotUsual) {
  CrawlMemory memory = Memory();
  const std::string usual = memory.Encode();
  for (const url::TrapUse use : {url::TrapUse::kOff, url::TrapUse::kShow}) {
    memory.traps = use;
    EXPECT_EQ(memory.Encode().size(), usual.size() + 1);
    const auto decoded = CrawlMemory::Decode(memory.Encode());
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->traps, use);
    EXPECT_FALSE(decoded->SameScope(Memory()));
  }
  for (const char other : {'\x02', '\x03'})
    EXPECT_TRUE(absl::IsDataLoss(CrawlMemory::Decode(usual + other).status()));
}

TEST(CrawlMemoryTest, DepthsOfHostsAreRememberedAndForgotten) {
  const auto store = NewMemoryStore();
  CrawlMemory memory = Memory();
  memory.host_depths = {{{false, "a.test"}, 0}, {{true, "b.test"}, 4'000'000'000}};
  EXPECT_FALSE(memory.SameScope(Memory()));
  ASSERT_TRUE(RememberCrawl(*store, memory).ok());
  EXPECT_EQ(RecallCrawl(*store)->host_depths, memory.host_depths);
  const std::string row = **store->Get(store::Table::kMeta, "host_depths");
  for (size_t size = 0; size < row.size(); ++size) {
    store::Batch batch;
    batch.Put(store::Table::kMeta, "host_depths", row.substr(0, size));
    ASSERT_TRUE(store->Write(batch, store::Sync::kYes).ok());
    EXPECT_TRUE(absl::IsDataLoss(RecallCrawl(*store).status())) << size;
  }
  ASSERT_TRUE(RememberCrawl(*store, Memory()).ok());
  EXPECT_TRUE(RecallCrawl(*store)->host_depths.empty());
}

TEST(CrawlMemoryTest, AnEmptyStoreRemembersNothing) {
  const auto recalled = RecallCrawl(*NewMemoryStore());
  ASSERT_TRUE(recalled.ok());
  EXPECT_TRUE(recalled->seeds.empty());
}

TEST(CrawlMemoryTest, EveryCutIsDamage) {
  const std::string whole = Memory().Encode();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(CrawlMemory::Decode(whole.substr(0, size)).status())) << size;
  }
  EXPECT_TRUE(absl::IsDataLoss(CrawlMemory::Decode(whole + "x").status()));
}

TEST(CrawlMemoryTest, AnUnknownScopeIsDamage) {
  CrawlMemory memory;
  memory.scope.kind = static_cast<url::ScopeKind>(99);
  EXPECT_TRUE(absl::IsDataLoss(CrawlMemory::Decode(memory.Encode()).status()));
}

TEST(CrawlMemoryTest, TheScopeIsThatOfTheSeeds) {
  CrawlMemory memory;
  memory.seeds = {"http://a.test/"};
  const url::Scope scope = memory.MakeScope();
  EXPECT_TRUE(scope.Contains(*url::Parse("http://a.test/page")));
  EXPECT_FALSE(scope.Contains(*url::Parse("http://b.test/page")));
}

}  // namespace
}  // namespace opic::node
