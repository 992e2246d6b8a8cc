#include "store/rocks_status.h"

#include "absl/strings/match.h"
#include "base/disk_failure.h"

namespace opic::store {

absl::Status FromRocks(const rocksdb::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const std::string message = status.ToString();
  if (status.IsNoSpace()) return absl::ResourceExhaustedError(message);
  if (status.IsCorruption()) return absl::DataLossError(message);
  // A lock held by this or another process comes as an IOError without a sub-code.
  if (status.IsIOError() && (absl::StrContains(message, "lock hold by current process") ||
                             absl::StrContains(message, "While lock file"))) {
    return absl::FailedPreconditionError(message);
  }
  if (status.IsInvalidArgument() && absl::StrContains(message, "does not exist")) {
    return absl::NotFoundError(message);
  }
  if (status.IsIOError() && absl::StrContains(message, "No space left")) {
    return absl::ResourceExhaustedError(message);
  }
  if (status.IsIOError()) return base::DiskFailure(message);
  return absl::InternalError(message);
}

}  // namespace opic::store
