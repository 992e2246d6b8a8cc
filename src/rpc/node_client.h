// A running node's answers, asked for over gRPC.
//
// Thread safety: synchronised inside.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "node/running_node.h"
#include "rpc/node_client_options.h"
#include "rpc/ranking_watch.h"
#include "scheduler/scheduler.h"

namespace opic::rpc {

class NodeClient : public node::RunningNode {
 public:
  static std::unique_ptr<NodeClient> To(const std::string& address,
                                        const NodeClientOptions& options);
  static std::unique_ptr<NodeClient> To(const std::string& address, absl::Duration patience) {
    return To(address, NodeClientOptions{.patience = patience});
  }
  // Watches the ranking: `take` is told what changes until it says false, which is Ok, or the node
  // ends the watch. Unavailable: too many watch, or the node stops.
  virtual absl::Status Watch(const WatchQuery& query,
                             const std::function<bool(const WatchChanges&)>& take) = 0;
  // Answered by the Page Scheduler beside the node.
  virtual absl::StatusOr<scheduler::SchedulerStatus> SchedulerStatus() = 0;
  virtual absl::StatusOr<scheduler::HostExplanation> ExplainHost(const std::string& host) = 0;
  virtual absl::StatusOr<scheduler::WaitingReport> ExplainWaiting() = 0;
  // Negative: leave as it is.
  virtual absl::Status SetBudget(double pages_per_s, absl::Duration delay) = 0;
};

}  // namespace opic::rpc
