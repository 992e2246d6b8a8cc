// Whether a fetcher can work as it is told.
#pragma once

#include "absl/status/status.h"
#include "fetch/options.h"

namespace opic::fetch {

// InvalidArgument, naming the option, when a value cannot work.
absl::Status Validate(const Options& options);

}  // namespace opic::fetch
