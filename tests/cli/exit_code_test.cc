#include "cli/exit_code.h"

#include <gtest/gtest.h>

namespace opic::cli {
namespace {

TEST(ExitCodeTest, EveryKindOfFailureHasItsCode) {
  const std::vector<std::pair<absl::Status, int>> cases = {
      {absl::InternalError("x"), 1},           {absl::InvalidArgumentError("x"), 2},
      {absl::FailedPreconditionError("x"), 3}, {absl::DataLossError("x"), 4},
      {absl::NotFoundError("x"), 5},           {absl::UnavailableError("x"), 6},
      {absl::DeadlineExceededError("x"), 6},   {absl::ResourceExhaustedError("x"), 74},
  };
  for (const auto& [status, code] : cases) EXPECT_EQ(Complain(status), code) << status;
}

TEST(ExitCodeTest, TheMessageIsSaidOnStandardError) {
  testing::internal::CaptureStderr();
  Complain(absl::NotFoundError("no data folder at x"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "opic: no data folder at x\n");
}

}  // namespace
}  // namespace opic::cli
