// What the Page Scheduler says of itself, and why hosts are not asked now, on the wire
// (proto/opic/v1/scheduler.proto).
//
// Thread safety: pure.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "scheduler/scheduler.h"

namespace opic::v1 {
class ExplainWaitingResponse;
class ExplainHostResponse;
class HostExplanation;
class PageSchedulerStatusResponse;
}  // namespace opic::v1

namespace opic::rpc {

// `cpu`: of the scheduler's thread.
void ToWire(const scheduler::SchedulerStatus& status, absl::Duration cpu,
            v1::PageSchedulerStatusResponse* wire);
// Times on the wire are the wall clock's, which is so far ahead of those here.
void ToWire(const scheduler::WaitingReport& report, absl::Duration wall_ahead,
            v1::ExplainWaitingResponse* wire);
// Its times are the wall clock's already.
void ToWire(const schedule::HostExplanation& host, v1::HostExplanation* wire);
schedule::HostExplanation FromWire(const v1::HostExplanation& wire);
// Unimplemented: the Page Scheduler is of an earlier release.
absl::StatusOr<schedule::HostExplanation> FromWire(const v1::ExplainHostResponse& wire);
// Reasons that this program does not know are left out.
scheduler::WaitingReport FromWire(const v1::ExplainWaitingResponse& wire);

}  // namespace opic::rpc
