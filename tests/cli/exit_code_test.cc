#include "cli/exit_code.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/disk_failure.h"
#include "base/status_macros.h"

namespace opic::cli {
namespace {

TEST(ExitCodeTest, EveryKindOfFailureHasItsCode) {
  const std::vector<std::pair<absl::Status, int>> cases = {
      {absl::InternalError("x"), 1},
      {absl::InvalidArgumentError("x"), 2},
      {absl::FailedPreconditionError("x"), 3},
      {absl::DataLossError("x"), 4},
      {absl::NotFoundError("x"), 5},
      {absl::UnavailableError("x"), 6},
      {absl::DeadlineExceededError("x"), 6},
      {absl::ResourceExhaustedError("x"), 74},
      {base::DiskFailure("x"), 74},
      {base::DiskFailure(EIO, "x"), 74},
      {base::DiskFailure(EFBIG, "x"), 74},
      {base::DiskFailure(ENOENT, "x"), 5},
  };
  for (const auto& [status, code] : cases) EXPECT_EQ(PrintError(status), code) << status;
}

TEST(ExitCodeTest, AnIOErrorIsOneThroughAnyContext) {
  EXPECT_EQ(PrintError(base::WithContext(base::DiskFailure("x"), "opening the store")), 74);
}

TEST(ExitCodeTest, TheMessageIsSaidOnStandardError) {
  SetProgramName("opic");
  testing::internal::CaptureStderr();
  PrintError(absl::NotFoundError("no data folder at x"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "opic: no data folder at x\n");
}

}  // namespace
}  // namespace opic::cli
