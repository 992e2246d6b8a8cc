// The store of a Page Scheduler, and a scheduler's service on it.
//
// Thread safety: pure.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "rpc/scheduler_service.h"
#include "scheduler/scheduler.h"
#include "store/rocks_options.h"
#include "store/store.h"

namespace opic::process {

store::RocksOptions SchedulerStoreOptions();
// A look at a scheduler's store at rest; OK when there is none. DataLoss: it is damaged;
// FailedPrecondition: it is of another program or format.
absl::Status CheckScheduler(const std::string& folder);

// Opens the store below `folder`, which is only read before it was found sound, and a scheduler on
// it.
absl::StatusOr<std::unique_ptr<rpc::SchedulerService>> OpenScheduler(
    const std::string& folder, const scheduler::Options& options,
    std::unique_ptr<store::Store>* store, base::Clock& clock = base::RealClock::Get(),
    rpc::SchedulerAccess access = {});

}  // namespace opic::process
