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
// refresh::UnionOf). A node that does not answer is passed over. Returns the first refusal, or else
// the first node that does not answer, with the node's name. FailedPrecondition: all rules are more
// than a node keeps, and nobody was told. `nodes`: of `map`, by number. Says on standard error
// which rules a node has learnt.
absl::Status ShareRules(const cluster::ShardMap& map,
                        absl::Span<const std::shared_ptr<rpc::NodeClient>> nodes);

// What is said of a node that does not answer.
bool DoesNotAnswer(const absl::Status& status);

}  // namespace opic::cli
