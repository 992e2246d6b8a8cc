#include "cli/exit_code.h"

#include <fmt/core.h>

#include <cstdio>

namespace opic::cli {

int Complain(const absl::Status& status) {
  fmt::print(stderr, "opic: {}\n", std::string(status.message()));
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kInvalidArgument:
      return kUsage;
    case absl::StatusCode::kFailedPrecondition:
      return kFolderRefused;
    case absl::StatusCode::kDataLoss:
      return kDamaged;
    case absl::StatusCode::kNotFound:
      return kNotFound;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kUnreachable;
    case absl::StatusCode::kResourceExhausted:
      return kStoreFailed;
    default:
      return kFailed;
  }
}

}  // namespace opic::cli
