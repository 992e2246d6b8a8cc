// A running node, to those who question and steer it: the one in this process (node.h), or a client
// of one in another (rpc/node_client.h).
//
// Thread safety: synchronised inside. Calls wait for the ledger's thread; not to be made on it.
#pragma once

#include "node/answers.h"
#include "node/control.h"
#include "node/export_desk.h"
#include "node/restating_steps.h"

namespace opic::node {

class RunningNode : public Answers, public RestatingSteps {
 public:
  // Both ancestors ask for them.
  absl::StatusOr<NodeStats> Stats() override = 0;

  // What it can be told to do. Lives as long as the node.
  virtual Control& control() = 0;
  // This node's own pages, as ExportDesk hands them out.
  virtual absl::StatusOr<ExportedRows> ReadExport(const ExportPosition& position) = 0;
};

}  // namespace opic::node
