// Shards that grow: from roster to segment, by a fifth at a time, into halves.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "page_table/block_copies.h"
#include "page_table/page_table.h"
#include "page_table/shard.h"
#include "tests/page_table/pages_of.h"

namespace opic::page_table {
namespace {

constexpr uint64_t kMany = 400'000;  // more than one segment may have

uint64_t IdOf(uint64_t index) { return base::Mix64(index) >> (64 - kPageIdBits); }

State StateOf(uint64_t index) {
  return {cash::Cell::FromBits(static_cast<uint16_t>(index)), index % 3 == 0, false};
}

// The pages 0 to `count` - 1, each with its own state.
void Fill(Shard& shard, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) shard.Add(IdOf(i), StateOf(i));
}

void ExpectFilled(Shard& shard, uint64_t count) {
  uint64_t seen = 0;
  shard.ForEach(0, kPageIdCount, [&](uint64_t, Place) { ++seen; });
  EXPECT_EQ(seen, count);
  for (uint64_t i = 0; i < count; ++i) ASSERT_EQ(shard.Find(IdOf(i)).Get(), StateOf(i)) << i;
}

TEST(GrowthTest, KeepsEveryPageThroughAllSizes) {
  Arena arena;
  Shard shard(ShardId{7}, arena);
  for (uint64_t i = 0; i < 30'000; ++i) {
    shard.Add(IdOf(i), StateOf(i));
    if (i % 997 == 0) ExpectFilled(shard, i + 1);
  }
}

TEST(GrowthTest, KeepsEveryPageWhenASegmentIsHalved) {
  Arena arena;
  Shard shard(ShardId{7}, arena);
  Fill(shard, kMany);
  EXPECT_NE(shard.SegmentOf(0), shard.SegmentOf(kPageIdCount - 1));
  ExpectFilled(shard, kMany);
}

// A lookup of the others needs a second line.
TEST(GrowthTest, MostPagesLieInTheirFirstLine) {
  Arena arena;
  Shard shard(ShardId{7}, arena);
  uint64_t added = 0, at_home = 0, asked = 0;
  for (const uint64_t pages : {100'000, 110'000, 120'000, 130'000, 140'000}) {
    for (; added < pages; ++added) shard.Add(IdOf(added), StateOf(added));
    for (uint64_t i = 0; i < pages; ++i, ++asked) {
      at_home += uint64_t{shard.SegmentOf(IdOf(i))->LookupOf(IdOf(i)).IsAtHome()};
    }
  }
  EXPECT_GT(static_cast<double>(at_home), 0.8 * static_cast<double>(asked));
}

// As a checkpoint is loaded: room for all first, then those whose first line has room.
TEST(GrowthTest, KeepsEveryPageAddedWhereItBelongsFirst) {
  Arena arena;
  Shard shard(ShardId{7}, arena);
  shard.Reserve(100'000);
  uint64_t crowded = 0;
  for (uint64_t i = 0; i < 100'000; ++i) {
    if (shard.AddAtHome(IdOf(i), StateOf(i))) continue;
    ++crowded;
    ASSERT_FALSE(shard.Find(IdOf(i))) << i;
    shard.Add(IdOf(i), StateOf(i));
  }
  EXPECT_GT(crowded, 0u);
  ExpectFilled(shard, 100'000);
}

TEST(GrowthTest, ACopyHasTheSegmentsToo) {
  Arena arena, other;
  Shard shard(ShardId{7}, arena);
  Fill(shard, kMany);
  BlockCopies copies(other);
  const std::unique_ptr<Shard> copy = shard.CopyBy(copies);
  ASSERT_TRUE(copies.CopySome(~uint64_t{0}));
  shard.ForEach(0, kPageIdCount, [](uint64_t, Place place) { place.Set(State()); });
  ExpectFilled(*copy, kMany);
  EXPECT_EQ(copy->bytes(), shard.bytes());
}

TEST(GrowthTest, SortedPagesAscendAcrossSegments) {
  Arena arena;
  Shard shard(ShardId{7}, arena);
  Fill(shard, kMany);
  uint64_t next = 0, seen = 0;
  shard.ForEachSorted([&](uint64_t id, State) {
    ASSERT_GE(id, next);
    next = id + 1;
    ++seen;
  });
  EXPECT_EQ(seen, kMany);
}

TEST(GrowthTest, ManyShardsTogetherStayBelowEightAndAHalfBytesAPage) {
  PageTable table(16);
  uint64_t added = 0;
  for (const uint64_t pages : {600'000, 650'000, 700'000, 750'000, 800'000}) {
    for (; added < pages; ++added) {
      table.Add(PageId(ShardAt(added % 16), IdOf(added)));
    }
    EXPECT_LT(static_cast<double>(table.totals().bytes), 8.5 * static_cast<double>(pages));
  }
}

TEST(GrowthTest, ReservedShardHardlyGrows) {
  Arena arena;
  Shard reserved(ShardId{7}, arena);
  reserved.Reserve(500'000);
  const uint64_t bytes = reserved.bytes();
  Fill(reserved, 500'000);
  EXPECT_EQ(reserved.bytes(), bytes);
  EXPECT_LT(bytes, 500'000 * 9.0);
}

// Crafted ids that all begin in one line have only their second lines: more memory, the same
// answers.
TEST(GrowthTest, IdsThatFollowEachOtherAreKeptToo) {
  Arena arena;
  Shard shard(ShardId{7}, arena);
  for (uint64_t id = 0; id < 20'000; ++id) shard.Add(id, StateOf(id));
  for (uint64_t id = 0; id < 20'000; ++id) ASSERT_EQ(shard.Find(id).Get(), StateOf(id));
  EXPECT_FALSE(shard.Find(20'000));
  EXPECT_LT(shard.bytes(), 20'000 * 80u);
}

}  // namespace
}  // namespace opic::page_table
