// Who answers the questions to a node, and who may ask them.
//
// Thread safety: compatible.
#pragma once

#include "absl/time/time.h"
#include "node/answers.h"
#include "node/audit_trail.h"
#include "rpc/gate.h"

namespace opic::rpc {

struct QuestionOptions {
  // Questions to a node in a cluster that are not `local_only` go here; null: the node answers
  // them. Must outlive the services.
  node::Answers* cluster = nullptr;
  Gate gate;
  // Calls that change something are noted in it; null: they are not. Must outlive the services.
  node::AuditTrail* trail = nullptr;
  // A watcher of the ranking that has not taken a reply for so long gives its place to another.
  absl::Duration reply_untaken_max = absl::Minutes(1);
};

}  // namespace opic::rpc
