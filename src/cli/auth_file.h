// The file of --auth-file as bytes: what it may be, and who may read it.
//
// Thread safety: pure, but for the file.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace opic::cli {

inline constexpr size_t kAuthFileBytesMax = 1 << 20;

// Without its byte order mark. InvalidArgument: it is no regular file, may not be opened, or is
// larger than kAuthFileBytesMax; NotFound.
absl::StatusOr<std::string> ReadAuthFile(const std::string& path);

// Whether others than its owner may read it.
bool OthersMayRead(const std::string& path);
// Warns in the log when they may, of the file that `flag` names. An empty path is none. Call when
// the log has been started.
void WarnIfOthersMayRead(const std::string& path, const std::string& flag);

}  // namespace opic::cli
