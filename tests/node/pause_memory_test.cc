#include "node/pause_memory.h"

#include <gtest/gtest.h>

#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

absl::Time At(int64_t seconds) { return absl::FromUnixSeconds(seconds); }

TEST(PauseMemoryTest, APauseIsRememberedUntilItEnds) {
  const auto store = NewMemoryStore();
  EXPECT_EQ(*PausedSince(*store), std::nullopt);
  ASSERT_TRUE(RememberPause(*store, true, At(100)).ok());
  EXPECT_EQ(*PausedSince(*store), At(100));
  ASSERT_TRUE(RememberPause(*store, false, At(200)).ok());
  EXPECT_EQ(*PausedSince(*store), std::nullopt);
}

// The second one became the time since when.
TEST(PauseMemoryTest, ARepeatedPauseChangesNothing) {
  const auto store = NewMemoryStore();
  ASSERT_TRUE(RememberPause(*store, true, At(100)).ok());
  ASSERT_TRUE(RememberPause(*store, true, At(200)).ok());
  EXPECT_EQ(*PausedSince(*store), At(100));
}

}  // namespace
}  // namespace opic::node
