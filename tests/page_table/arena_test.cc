#include "page_table/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

namespace opic::page_table {
namespace {

constexpr uint64_t kBlocksAPage = Arena::kHugePageBytes / Arena::kBlockBytes;

bool IsZero(const uint8_t* block) {
  return std::all_of(block, block + Arena::kBlockBytes, [](uint8_t byte) { return byte == 0; });
}

std::vector<uint8_t*> Take(Arena& arena, uint64_t blocks) {
  std::vector<uint8_t*> taken;
  for (uint64_t i = 0; i < blocks; ++i) {
    taken.push_back(arena.Take());
    EXPECT_TRUE(IsZero(taken.back()));
    std::memset(taken.back(), 0xff, Arena::kBlockBytes);
  }
  return taken;
}

// More than a region has.
TEST(ArenaTest, BlocksAreZeroAndDoNotOverlap) {
  Arena arena;
  const auto taken = Take(arena, 40 * kBlocksAPage);
  std::set<uint8_t*> places(taken.begin(), taken.end());
  ASSERT_EQ(places.size(), taken.size());
  const uint8_t* end = nullptr;
  for (const uint8_t* block : places) {
    EXPECT_TRUE(end == nullptr || block >= end);
    end = block + Arena::kBlockBytes;
  }
  EXPECT_EQ(arena.taken_bytes(), taken.size() * Arena::kBlockBytes);
  EXPECT_EQ(arena.resident_bytes(), 40 * Arena::kHugePageBytes);
}

TEST(ArenaTest, WhatWasGivenBackIsTakenAgainAndIsZero) {
  Arena arena;
  const auto taken = Take(arena, 3 * kBlocksAPage);
  for (size_t i = 0; i < taken.size(); i += 3) arena.GiveBack(taken[i]);
  Take(arena, kBlocksAPage);
  EXPECT_EQ(arena.resident_bytes(), 3 * Arena::kHugePageBytes);
}

// A table whose shards have moved away must not keep their memory.
TEST(ArenaTest, TheSystemHasBackWhatIsFree) {
  Arena arena;
  const auto taken = Take(arena, 100 * kBlocksAPage);
  for (size_t i = 2 * kBlocksAPage; i < taken.size(); ++i) arena.GiveBack(taken[i]);
  EXPECT_EQ(arena.taken_bytes(), 2 * Arena::kHugePageBytes);
  EXPECT_LE(arena.resident_bytes(), 10 * Arena::kHugePageBytes);
  Take(arena, 20 * kBlocksAPage);
  EXPECT_EQ(arena.resident_bytes(), 22 * Arena::kHugePageBytes);
}

}  // namespace
}  // namespace opic::page_table
