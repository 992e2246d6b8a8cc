// The services of a running node for those who ask and those who steer: importance, control, audit,
// export (proto/opic/v1). Who may call what: rpc/gate.h.
//
// Questions wait for threads of their own, so that a scan for the top pages holds no gRPC thread:
// one answers what this node knows at once, one scans, one asks the whole cluster. So two nodes
// that ask each other never wait for each other. At most 64 wait for each, more are refused with
// RESOURCE_EXHAUSTED.
//
// The server listens before the node works, and still listens when it stops: until Open and from
// Stop on every question is refused with UNAVAILABLE, and nothing of the node is touched.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <vector>

#include "node/running_node.h"
#include "rpc/gate.h"

namespace grpc {
class Service;
}

namespace opic::rpc {

class NodeServices {
 public:
  struct Options {
    // Questions to a node in a cluster that are not `local_only` go here; null: the node answers
    // them. Must outlive the services.
    node::Answers* cluster = nullptr;
    Gate gate;
  };
  // `node` must outlive the services.
  NodeServices(node::RunningNode& node, Options options);
  ~NodeServices();

  std::vector<grpc::Service*> services();
  // The node is there: questions are answered from now on.
  void Open();
  // No answers from now on. To be called before the server is shut down. Idempotent.
  void Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opic::rpc
