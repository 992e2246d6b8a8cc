// The Page Scheduler's questions and its budget at the address of a node whose scheduler is a
// process of its own: the node passes them on. So a caller who knows the node, or the cluster,
// reaches each scheduler, wherever it runs.
//
// The node's gate decides who may ask; its audit trail keeps what was changed, and so does the
// scheduler's. A session is not passed on.
//
// Thread safety: synchronised inside. Calls under way end before their server does.
#pragma once

#include <memory>

#include "node/audit_trail.h"
#include "rpc/gate.h"

namespace grpc {
class Channel;
class Service;
}  // namespace grpc

namespace opic::rpc {

class SchedulerRelay {
 public:
  // `channel` leads to the scheduler. `trail` must outlive the relay; null: none is kept.
  SchedulerRelay(std::shared_ptr<grpc::Channel> channel, const Gate& gate, node::AuditTrail* trail);
  ~SchedulerRelay();

  // For a grpc::ServerBuilder; lives as long as this object.
  grpc::Service* service();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opic::rpc
