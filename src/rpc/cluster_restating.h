// Restating a cluster, or a lone node, while it runs (ledger push; ledger/restating.h), driven from
// outside: a cut on every node, the claims of each brought to each other one, and what is off
// corrected. Nothing is changed before the last step, so that a step that fails costs a new
// beginning at most.
//
// Thread safety: confined to one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/synchronization/notification.h"
#include "node/restating_steps.h"

namespace opic::rpc {

struct RestatingOptions {
  bool correct = true;    // else nothing is changed
  double per_second = 0;  // pages corrected by a node; 0: as fast as it can
  absl::Duration patience =
      absl::Minutes(10);                     // for a node that reads its rows, or waits for peers
  const absl::Notification* stop = nullptr;  // ends it, with Cancelled
  // Called now and then with what is being done; may be empty.
  std::function<void(const std::string&)> progress;
};

struct ClusterRestatement {
  uint64_t pages = 0, links = 0;
  uint64_t off = 0;        // pages whose cash was not what it should be
  double largest = 0;      // by how much at most, in bases of a page
  double error = 0;        // what all of that could do to the ranking, at most (L1)
  uint64_t elsewhere = 0;  // pages that had moved away when they were to be corrected
};

// All nodes of the cluster, by number; or a lone one.
using RestatedNodes = std::vector<std::shared_ptr<node::RestatingSteps>>;

// InvalidArgument: they are not all nodes of the cluster; FailedPrecondition: windows, or it was
// spoiled several times; Unavailable: a node does not answer.
absl::StatusOr<ClusterRestatement> RestateCluster(const RestatedNodes& nodes,
                                                  const RestatingOptions& options);

}  // namespace opic::rpc
