// The control of a node over the wire, both ends: service opic.v1.Control
// (proto/opic/v1/control.proto). Who may call what: rpc/gate.h.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>

#include "node/control.h"

namespace grpc {
class Service;
}

namespace opic::rpc {

class NodeCaller;
class QuestionThreads;

// The control of the node that `caller` calls, which must outlive it.
std::unique_ptr<node::Control> NewControlClient(const NodeCaller& caller);

// Gives others the control of the node of `questions`, which must outlive it.
std::unique_ptr<grpc::Service> NewControlService(QuestionThreads& questions);

}  // namespace opic::rpc
