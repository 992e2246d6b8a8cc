// When `--again` was asked for last, as the data folder remembers it: hosts and robots.txt that
// were given up before that are tried once more (schedule::Rules::given_up_again), after a restart,
// too.
//
// Thread safety: pure.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/store.h"

namespace opic::node {

// InfinitePast: never.
absl::StatusOr<absl::Time> AskedAgain(store::Store& store);
// Durable when it returns.
absl::Status RememberAgain(store::Store& store, absl::Time asked);

}  // namespace opic::node
