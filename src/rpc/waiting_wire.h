// Why hosts are not asked now, on the wire (proto/opic/v1/scheduler.proto).
//
// Thread safety: pure.
#pragma once

#include "absl/time/time.h"
#include "scheduler/scheduler.h"

namespace opic::v1 {
class ExplainWaitingReply;
}

namespace opic::rpc {

// Times on the wire are the wall clock's, which is so far ahead of those of `report`.
void ToWire(const scheduler::WaitingReport& report, absl::Duration wall_ahead,
            v1::ExplainWaitingReply* wire);
// Reasons that this program does not know are left out.
scheduler::WaitingReport FromWire(const v1::ExplainWaitingReply& wire);

}  // namespace opic::rpc
