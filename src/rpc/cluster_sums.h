// The answers of the nodes of a cluster, brought together.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "cluster/shard_map.h"
#include "ledger/peer_book.h"
#include "node/running_node.h"

namespace opic::rpc {

// What is worked out or changed at some nodes of a cluster only is wrong without a sign of it: an
// older cluster file lacks those that were added since. `stats`: of the node `name` alone, which
// has a channel to each other node of its own file; `nodes`: of the file in use. InvalidArgument:
// the two files are not of as many nodes.
absl::Status CheckSameSize(const std::string& name, const node::NodeStats& stats, size_t nodes);

// Adds one node's counts to the cluster's: counters are summed, of clocks and longest times the
// greatest counts, of phases the first.
void AddTo(node::NodeStats& sum, const node::NodeStats& part);

// The `count` most important of all; pages known and matching are summed.
node::Answers::TopPages Merge(std::vector<node::Answers::TopPages> parts, size_t count);

// The `count` most important sites of all; what several nodes have of a site is summed. `apart`: no
// site has pages on two nodes.
node::TopSites Merge(std::vector<node::TopSites> parts, size_t count, bool apart);

// The audit of a cut. `parts` by node number, not all of them errors: nodes whose part is one are
// missing. Aborted: the parts do not fit together, because a node was restarted in between.
absl::StatusOr<node::Audit> AuditOf(const cluster::ShardMap& map,
                                    absl::Span<const absl::StatusOr<ledger::Cut>> parts);

}  // namespace opic::rpc
