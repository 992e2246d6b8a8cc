// What to say of a Page Scheduler in a process of its own.
//
// Thread safety: pure.
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace opic::cli {

// The scheduler inside a node answers at the node's address, one beside it at its own; then the
// node has no such service (Unimplemented), and the answer says to give `flag`.
absl::Status NameTheScheduler(const absl::Status& status, std::string_view flag);

}  // namespace opic::cli
