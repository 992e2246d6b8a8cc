// What an operator has changed of how pages are read again, as the data folder remembers it: it
// holds over restarts, and wins over what the program was started with.
//
// Thread safety: pure.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "node/refresh_options.h"
#include "store/store.h"

namespace opic::node {

absl::StatusOr<RefreshTuning> RecallRefreshTuning(store::Store& store);
// Durable when it returns.
absl::Status RememberRefreshTuning(store::Store& store, const RefreshTuning& tuning);

}  // namespace opic::node
