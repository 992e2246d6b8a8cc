// The Page Scheduler as a gRPC service: one core, one thread that owns it, at most one session.
//
// gRPC's reactions only post events; every call on a stream is made by the owner thread. A
// session's next message is read when the one before has been handled: that is its flow control.
// A node in the same process needs no stream (Within): the same messages go from thread to thread.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "node/audit_trail.h"
#include "rpc/gate.h"
#include "rpc/scheduler_session.h"
#include "scheduler/scheduler.h"

namespace grpc {
class Service;
}

namespace opic::rpc {

struct SchedulerAccess {
  bool inside = false;  // the node is in this process: no session from elsewhere is let in
  // Of the calls. A session, and a budget where the node is not inside, take the role of a node.
  Gate gate;
  node::AuditTrail* trail =
      nullptr;  // of what is changed; null: none is kept. Outlives the service
};

class SchedulerService {
 public:
  // `clock` must outlive the service.
  SchedulerService(std::unique_ptr<scheduler::Scheduler> core, base::Clock& clock,
                   SchedulerAccess access = {});
  ~SchedulerService();  // as Stop()

  // For a grpc::ServerBuilder; lives as long as this object.
  grpc::Service* service();
  // Another one, for another address, with a gate of its own; it takes no sessions.
  grpc::Service* AddSurface(const Gate& gate);
  // The session of a node in this process; its callbacks run on the scheduler's thread. To be
  // stopped before this object goes.
  std::unique_ptr<SchedulerSession> Within(SchedulerCallbacks callbacks);
  // Takes what the node has sent by now, ends the session and saves with the clean-stop mark.
  // Idempotent. To be called before the server is shut down.
  absl::Status Stop();

  scheduler::SchedulerStatus status() const;  // as of the last turn
  absl::Duration cpu() const;                 // of the owner thread

 private:
  class Impl;
  class Surface;
  std::unique_ptr<Impl> impl_;
  std::vector<std::unique_ptr<Surface>> surfaces_;
};

}  // namespace opic::rpc
