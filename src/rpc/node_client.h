// A running node's answers, asked for over gRPC.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <string>

#include "node/node.h"
#include "scheduler/scheduler.h"

namespace opic::rpc {

class NodeClient : public node::Answers {
 public:
  // Every call has a deadline of `patience`.
  static std::unique_ptr<NodeClient> To(const std::string& address, absl::Duration patience);
  virtual absl::Status Pause(bool paused) = 0;
  virtual absl::Status AddSeeds(const std::vector<std::string>& urls) = 0;
  virtual absl::Status StopNode() = 0;
  virtual absl::StatusOr<scheduler::Status> SchedulerStatus() = 0;
  virtual absl::StatusOr<scheduler::HostExplanation> ExplainHost(const std::string& host) = 0;
  // Negative: leave as it is.
  virtual absl::Status SetBudget(double pages_per_s, absl::Duration delay) = 0;
};

}  // namespace opic::rpc
