#include "process/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace opic::process {
namespace {

// The limit is the process's: its nodes share it.
TEST(OpenFilesTest, NodesOfOneProcessShareThem) {
  ASSERT_TRUE(RaiseOpenFiles(1, 3).ok());
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur == RLIM_INFINITY) GTEST_SKIP() << "there is no limit here";
  for (const uint64_t nodes : {1, 4}) {
    const uint64_t fetches = FetchesWithinOpenFiles(3, nodes);
    if (fetches == 1) continue;  // it makes do with less than it needs
    EXPECT_LE(nodes * OpenFilesNeeded(static_cast<int>(fetches), 3), limit.rlim_cur) << nodes;
    EXPECT_GT(nodes * OpenFilesNeeded(static_cast<int>(fetches) + 1, 3), limit.rlim_cur - 4)
        << nodes;
  }
}

TEST(OpenFilesTest, MoreNodesThanThereAreFilesForAreRefused) {
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max == RLIM_INFINITY) GTEST_SKIP() << "there is no limit here";
  const uint64_t too_many = limit.rlim_max / OpenFilesNeeded(1, 0) + 1;
  EXPECT_TRUE(absl::IsInvalidArgument(RaiseOpenFiles(1, 0, too_many)));
}

}  // namespace
}  // namespace opic::process
