// A disk that cannot be read or written, told apart from what was read: an I/O error, a file system
// that was mounted for reading only, a file that may grow no more. The next attempt may succeed;
// nothing is lost by it.
//
// Thread safety: pure.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace opic::base {

// Internal, and IsDiskFailure.
absl::Status DiskFailure(const std::string& message);
// As absl::ErrnoToStatus, and a DiskFailure for those numbers that say so.
absl::Status DiskFailure(int error_number, const std::string& message);

// Also after WithContext.
bool IsDiskFailure(const absl::Status& status);

}  // namespace opic::base
