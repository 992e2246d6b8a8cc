// A file that a setting names, as bytes: credentials, rules for hosts.
//
// Thread safety: pure, but for the file.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace opic::cli {

// Without its byte order mark. InvalidArgument names `flag`: it is no regular file, may not be
// opened, or is larger than `mib_max` MiB. NotFound names it, too.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path, const std::string& flag,
                                            size_t mib_max);

}  // namespace opic::cli
