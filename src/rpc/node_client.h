// A running node's answers, asked for over gRPC.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node/running_node.h"
#include "rpc/tls.h"
#include "scheduler/scheduler.h"

namespace opic::rpc {

struct NodeClientOptions {
  absl::Duration patience = absl::Seconds(60);  // deadline of every call
  // For Top, which looks at every page; zero: as `patience`.
  absl::Duration scan_patience;
  bool local_only = false;         // asks for the node's own part, not for the whole cluster's
  std::optional<TlsIdentity> tls;  // the node must show a certificate for `name`,
  std::string name;                // or, when that is empty, for the host of its address
  std::string token;               // to be shown (rpc/gate.h); empty: none
};

class NodeClient : public node::RunningNode {
 public:
  static std::unique_ptr<NodeClient> To(const std::string& address,
                                        const NodeClientOptions& options);
  static std::unique_ptr<NodeClient> To(const std::string& address, absl::Duration patience) {
    return To(address, NodeClientOptions{.patience = patience});
  }
  // Answered by the Page Scheduler beside the node.
  virtual absl::StatusOr<scheduler::SchedulerStatus> SchedulerStatus() = 0;
  virtual absl::StatusOr<scheduler::HostExplanation> ExplainHost(const std::string& host) = 0;
  virtual absl::StatusOr<scheduler::WaitingReport> ExplainWaiting() = 0;
  // Negative: leave as it is.
  virtual absl::Status SetBudget(double pages_per_s, absl::Duration delay) = 0;
};

}  // namespace opic::rpc
