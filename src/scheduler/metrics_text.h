// What a Page Scheduler tells of itself, as metrics: opic_scheduler_... in the text exposition
// format of Prometheus.
//
// Thread safety: pure.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "scheduler/scheduler.h"

namespace opic::scheduler {

// `cpu` is the processor time of the scheduler's thread.
std::string MetricsText(const SchedulerStatus& status, absl::Duration cpu);

}  // namespace opic::scheduler
