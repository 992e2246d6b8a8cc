// The budget that an operator has set, as the scheduler's store remembers it: it holds over
// restarts, and wins over what the program was started with.
//
// Thread safety: pure.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "store/store.h"

namespace opic::scheduler {

struct BudgetMemory {
  std::optional<double> pages_per_s;  // 0: no limit; nothing: as started
  std::optional<absl::Duration> delay;
};

absl::StatusOr<BudgetMemory> RecallBudget(store::Store& store);
// Durable when it returns.
absl::Status RememberBudget(store::Store& store, const BudgetMemory& budget);

}  // namespace opic::scheduler
