// A node's session with its Page Scheduler, from the node's end: SchedulerClient over gRPC,
// SchedulerService::Within in the scheduler's own process.
//
// Messages wait in memory; their number is bounded by the protocol (one directive open, one outcome
// an order). Without a session they are dropped: the next begins with Hello.
//
// Thread safety: synchronised inside. The callbacks run on one thread at a time and may block.
#pragma once

#include <functional>

#include "absl/time/time.h"
#include "desk/scheduler_link.h"
#include "schedule/messages.h"

namespace opic::rpc {

// For the answer to a question (SchedulerLink::ExplainHost).
inline constexpr absl::Duration kAnswerPatience = absl::Seconds(2);

struct SchedulerCallbacks {
  std::function<void()> on_session;  // one has begun: Hello is to be sent
  std::function<void(schedule::ToNode)> on_message;
};

class SchedulerSession : public desk::SchedulerLink {
 public:
  virtual void Start() = 0;  // opens the first session
  // Ends the session. No callback runs afterwards. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace opic::rpc
