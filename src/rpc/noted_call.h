// Calls that change something, as the audit trail has them (node/audit_trail.h).
//
// Thread safety: NoteCall as AuditTrail.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "node/audit_trail.h"
#include "rpc/gate.h"

namespace google::protobuf {
class Message;
}

namespace opic::rpc {

// `trail` null: nothing is kept. `call`: the name of the RPC; `in_passing`: node::Act.
void NoteCall(node::AuditTrail* trail, const Caller& caller, const std::string& call,
              const google::protobuf::Message& request, const absl::Status& result,
              bool in_passing = false);

}  // namespace opic::rpc
