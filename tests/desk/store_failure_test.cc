#include "desk/store_failure.h"

#include <gtest/gtest.h>

#include "base/disk_failure.h"
#include "base/status_macros.h"

namespace opic::desk {
namespace {

TEST(StoreFailureTest, ARefusalIsNone) {
  for (const absl::Status& status :
       {absl::OkStatus(), absl::InvalidArgumentError("no host"), absl::NotFoundError("no such id"),
        absl::FailedPreconditionError("too many"), absl::AlreadyExistsError("there is one"),
        absl::UnavailableError("the node is stopping")})
    EXPECT_FALSE(IsStoreFailure(status)) << status;
  EXPECT_TRUE(IsStoreFailure(absl::ResourceExhaustedError("no space left")));
  EXPECT_TRUE(IsStoreFailure(base::DiskFailure("I/O error")));
  EXPECT_TRUE(IsStoreFailure(absl::DataLossError("a checksum is wrong")));
}

// What a command makes its exit code of, also when it adds the node's name.
TEST(StoreFailureTest, TheCallerHearsWhyAndWithWhichCodeTheProcessEnds) {
  const absl::Status full = ProcessEnds(base::DiskFailure("I/O error"));
  EXPECT_TRUE(absl::IsResourceExhausted(full));
  EXPECT_EQ(full.message(),
            "not done: the data folder cannot be written, and the process ends (exit code 74): "
            "I/O error");
  EXPECT_TRUE(EndsProcess(base::WithContext(full, "node b")));
  EXPECT_TRUE(absl::IsDataLoss(ProcessEnds(absl::DataLossError("a checksum is wrong"))));
  EXPECT_FALSE(EndsProcess(absl::ResourceExhaustedError("too many questions wait")));
  EXPECT_EXIT(EndOnStoreFailure("the node", full), testing::ExitedWithCode(74), "I/O error");
  EXPECT_EXIT(EndOnStoreFailure("the node", ProcessEnds(absl::DataLossError("a checksum"))),
              testing::ExitedWithCode(4), "a checksum");
}

}  // namespace
}  // namespace opic::desk
