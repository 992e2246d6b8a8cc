// Where --proxy and --proxy-file take the proxy from.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace opic::cli {

// The proxy of all fetches: `proxy` itself, or the only line of the file `proxy_file`, for one
// whose password should not be seen among a process's words. Empty: none. InvalidArgument: both are
// given, the file cannot be read, or it is no proxy (fetch::IsProxy); the error does not show it,
// since it may have a password.
//
// Thread safety: pure, but for reading the file.
absl::StatusOr<std::string> ProxyOf(const std::string& proxy, const std::string& proxy_file);

}  // namespace opic::cli
