// Rules for hosts (`opic control block`), brought to the nodes of a cluster that lack them: one that
// was added, or took the place of a lost folder. It asks for nothing before it is told what is
// crawled, so whoever tells it that shares the rules first.
//
// Thread safety: confined to one thread.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "cluster/shard_map.h"
#include "rpc/node_client.h"

namespace opic::cli {

// What any node knows each of them knows afterwards (node::UnionOf). A node that does not answer is
// passed over. The first error, with the node's name. `nodes`: of `map`, by number.
absl::Status ShareRules(const cluster::ShardMap& map,
                        absl::Span<const std::shared_ptr<rpc::NodeClient>> nodes);

}  // namespace opic::cli
