#include "base/ids.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace opic {
namespace {

TEST(PageId, IsItsShardAndItsId) {
  const PageId page(ShardId{1023}, kPageIdCount - 1);
  EXPECT_EQ(page.shard().value, 1023);
  EXPECT_EQ(page.id(), kPageIdCount - 1);
  EXPECT_EQ(PageId::FromWord(page.word()), page);
}

TEST(PageId, TheLargestShardFits) {
  const PageId page(ShardId{65535}, 0);
  EXPECT_EQ(page.shard().value, 65535);
  EXPECT_EQ(page.id(), 0u);
}

// A shard is one contiguous range of keys, and can move.
TEST(PageId, SortsByShardFirst) {
  const PageId last_of_one(ShardId{1}, kPageIdCount - 1), first_of_two(ShardId{2}, 0);
  EXPECT_LT(last_of_one, first_of_two);
  EXPECT_LT(base::Big64(last_of_one.word()), base::Big64(first_of_two.word()));
}

TEST(PageId, WordsWithBitsBetweenShardAndIdAreInvalid) {
  EXPECT_TRUE(PageId::IsValidWord(PageId(ShardId{65535}, kPageIdCount - 1).word()));
  for (int bit = kPageIdBits; bit < 48; ++bit) {
    EXPECT_FALSE(PageId::IsValidWord(uint64_t{1} << bit)) << bit;
  }
}

}  // namespace
}  // namespace opic
