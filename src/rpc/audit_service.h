// Audits, and restating a cluster: proto/opic/v1/audit.proto. Who may call what: rpc/gate.h.
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
std::unique_ptr<grpc::Service> NewAuditService(QuestionThreads& questions);

}  // namespace opic::rpc
