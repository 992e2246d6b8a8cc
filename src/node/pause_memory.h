// That an operator has paused fetching, as the data folder remembers it.
//
// Thread safety: pure.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/store.h"

namespace opic::node {

// Since when; nothing: it is not paused.
absl::StatusOr<std::optional<absl::Time>> PausedSince(store::Store& store);
// Durable when it returns. What holds already is not written again: since when stays.
absl::Status RememberPause(store::Store& store, bool paused, absl::Time now);

}  // namespace opic::node
