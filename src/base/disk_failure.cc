#include "base/disk_failure.h"

#include <cerrno>

#include "absl/strings/cord.h"

namespace opic::base {
namespace {

constexpr char kPayload[] = "opic/disk-failure";

bool SaysSo(int error_number) {
  return error_number == EIO || error_number == EROFS || error_number == ENXIO ||
         error_number == ENODEV || error_number == ESTALE || error_number == EFBIG;
}

}  // namespace

absl::Status DiskFailure(const std::string& message) {
  absl::Status status = absl::InternalError(message);
  status.SetPayload(kPayload, absl::Cord());
  return status;
}

absl::Status DiskFailure(int error_number, const std::string& message) {
  const absl::Status status = absl::ErrnoToStatus(error_number, message);
  return SaysSo(error_number) ? DiskFailure(std::string(status.message())) : status;
}

bool IsDiskFailure(const absl::Status& status) { return status.GetPayload(kPayload).has_value(); }

}  // namespace opic::base
