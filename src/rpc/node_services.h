// The services of a running node for those who ask and those who steer: importance, control, audit,
// export (proto/opic/v1). Who may call what: rpc/gate.h.
//
// Questions wait for threads of their own (rpc/question_threads.h).
//
// The server listens before the node works, and still listens when it stops: until Open and from
// Stop on every question is refused with UNAVAILABLE, and nothing of the node is touched.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <vector>

#include "node/running_node.h"
#include "rpc/question_options.h"

namespace grpc {
class Service;
}

namespace opic::rpc {

class NodeServices {
 public:
  using Options = QuestionOptions;
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
