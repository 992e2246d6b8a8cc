// Those who steer a node: proto/opic/v1/control.proto. Who may call what: rpc/gate.h.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>

namespace grpc {
class Service;
}

namespace opic::rpc {

class QuestionThreads;

// `questions` must outlive it.
std::unique_ptr<grpc::Service> NewControlService(QuestionThreads& questions);

}  // namespace opic::rpc
