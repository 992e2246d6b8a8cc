// Whether a fetcher can work as it is told.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "fetch/options.h"

namespace opic::fetch {

// InvalidArgument, naming the option, when a value cannot work.
absl::Status Validate(const Options& options);

// "[SCHEME://][USER:PASSWORD@]HOST[:PORT]", with http (when absent), https, socks4, socks4a, socks5
// or socks5h for its scheme.
bool IsProxy(const std::string& proxy);

}  // namespace opic::fetch
