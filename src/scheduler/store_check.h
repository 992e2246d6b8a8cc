// A scheduler's store, read without changing it: what is checked before anything is written
// (docs/formats/scheduler_store.md).
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "store/store.h"

namespace opic::scheduler {

// Keys of Table::kMeta.
inline constexpr char kFormatKey[] = "scheduler.format";
inline constexpr char kFormat[] = "opic scheduler 1";
inline constexpr char kCleanKey[] = "scheduler.clean";
inline constexpr char kWaitsSinceKey[] = "scheduler.waits_since";
inline constexpr char kLenderKey[] = "scheduler.lender";
inline constexpr char kAgainKey[] = "scheduler.given_up_again";

// FailedPrecondition: it is of another format, or holds something else. DataLoss: damaged.
absl::Status CheckStore(store::Store& store);

// What is wrong with the rows of hosts, one line each; `hosts` is how many there are.
std::vector<std::string> CheckHosts(store::Store& store, uint64_t* hosts);

}  // namespace opic::scheduler
