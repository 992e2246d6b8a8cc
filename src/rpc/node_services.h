// The services that anybody may call on a running node: importance, control, audit (proto/opic/v1).
//
// Questions are answered one after the other on a thread of their own, so that a scan for the top
// pages holds no gRPC thread; at most 64 wait, more are refused with RESOURCE_EXHAUSTED.
//
// Thread safety: synchronised inside.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "node/node.h"

namespace grpc {
class Service;
}

namespace opic::rpc {

class NodeServices {
 public:
  // What the services may do; `answers` must outlive them.
  struct Node {
    node::Answers* answers;
    std::function<void(bool)> pause;
    std::function<absl::Status(const std::vector<std::string>&)> add_seeds;
    std::function<void()> stop;
  };
  explicit NodeServices(Node node);
  ~NodeServices();

  std::vector<grpc::Service*> services();
  // No answers from now on. To be called before the server is shut down. Idempotent.
  void Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace opic::rpc
