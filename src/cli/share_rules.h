// Rules for hosts (`opic control block`) and publications (`opic publish`), brought to nodes of a
// cluster that lack them: a node that was added, or took the place of a lost folder. Such a node
// fetches nothing before it is told what to crawl, so whoever tells it shares these first.
//
// Thread safety: confined to one thread.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "cluster/shard_map.h"
#include "rpc/node_client.h"

namespace opic::cli {

// Afterwards every node has the rules and publications that any of them had (node::UnionOf,
// refresh::UnionOf). A node that does not answer is passed over. Returns the first error, with the
// node's name. `nodes`: of `map`, by number.
absl::Status ShareRules(const cluster::ShardMap& map,
                        absl::Span<const std::shared_ptr<rpc::NodeClient>> nodes);

}  // namespace opic::cli
