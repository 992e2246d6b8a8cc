#include "process/scheduler_store.h"

#include "base/status_macros.h"
#include "scheduler/store_check.h"

namespace opic::process {

store::RocksOptions SchedulerStoreOptions() {
  store::RocksOptions rocks;
  rocks.cache_bytes = 8 << 20;
  rocks.write_buffer_bytes = 8 << 20;
  return rocks;
}

absl::Status CheckScheduler(const std::string& folder) {
  store::RocksOptions rocks = SchedulerStoreOptions();
  rocks.read_only = true;
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::OpenRocksStore(folder, rocks);
  if (absl::IsNotFound(store.status())) return absl::OkStatus();
  RETURN_IF_ERROR(store.status());
  return base::WithContext(scheduler::CheckStore(**store), "checking the scheduler's store");
}

absl::StatusOr<std::unique_ptr<rpc::SchedulerService>> OpenScheduler(
    const std::string& folder, const scheduler::Options& options,
    std::unique_ptr<store::Store>* store, base::Clock& clock, rpc::SchedulerAccess access) {
  store::RocksOptions rocks = SchedulerStoreOptions();
  rocks.read_first = true;  // until the scheduler has found it its own
  ASSIGN_OR_RETURN(*store, store::OpenRocksStore(folder, rocks));
  ASSIGN_OR_RETURN(std::unique_ptr<scheduler::Scheduler> core,
                   scheduler::Scheduler::Open(options, **store, clock.Steady()));
  return std::make_unique<rpc::SchedulerService>(std::move(core), clock, std::move(access));
}

}  // namespace opic::process
