// Restating a node while it runs (running_restatement.h), in steps that somebody drives for all
// nodes of its cluster (rpc/cluster_restating.h): prepared everywhere, the cut `epoch` taken
// everywhere, then the claims of each node brought to each other one, then ended. The node in this
// process has them, and a client of one in another.
//
// Thread safety: synchronised inside.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ledger/peer_book.h"
#include "ledger/restating.h"
#include "node/running_restatement.h"

namespace opic::node {

struct NodeStats;

struct RestatementEnd {
  uint64_t epoch = 0;
  std::vector<std::pair<NodeId, uint64_t>> sealed;  // by each peer for this node, before the cut
  bool correct = false;
  double per_second = 0;  // pages corrected; 0: without a limit
  bool forget = false;    // nothing more is asked of it
};

class RestatingSteps {
 public:
  virtual ~RestatingSteps() = default;
  // The figures of this node alone.
  virtual absl::StatusOr<NodeStats> Stats() = 0;
  // A node without peers takes the cut here. Aborted: a later epoch has begun.
  virtual absl::Status PrepareRestating(uint64_t epoch) = 0;
  // The node's part of the consistent cut `epoch`. Aborted: a later one has begun.
  // Unimplemented: the node is in no cluster.
  virtual absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) = 0;
  // FailedPrecondition here and below: the work was spoiled, and must be begun anew; Unavailable:
  // not yet.
  virtual absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t epoch, NodeId peer,
                                                              uint64_t part) = 0;
  virtual absl::Status AddClaims(uint64_t epoch, NodeId from, uint64_t part,
                                 absl::Span<const ledger::Drift> claims) = 0;
  // By windows there is nothing to restate, and all that can be asked for: after a loss all pages
  // were fetched once more.
  virtual absl::StatusOr<RestatedPart> EndRestating(const RestatementEnd& end) = 0;
};

}  // namespace opic::node
