// opic cluster move | drain | balance | shards: where the shards of a running cluster are, and
// moving them while it crawls (docs/decisions/2026-11-21-shard-moves.md).
//
// Whoever asks for a move sees it through: it tells the owners which shards are to leave, a few at
// a time, and watches them arrive. A node that ends meanwhile is told again when it is back. Ended
// itself, the same command goes on where it stood.
//
// Thread safety: confined to the program's main thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/cluster_nodes.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct MoveFlags : CallFlags {
  std::vector<std::string> words;  // of move: shards ("7", "0-255"), then the node; of drain: it
  uint32_t at_once = 8;            // shards leaving one node

  void AddTo(CLI::App& app);
};

// Exit codes.
int MoveShards(const MoveFlags& flags);     // the named shards to the named node
int DrainNode(const MoveFlags& flags);      // all shards of the node to the others, evenly
int BalanceShards(const MoveFlags& flags);  // as few moves as make the numbers of shards even
int ListShards(const MoveFlags& flags);

// Where each shard is to be; those that may stay are left out.
using MovePlan = std::map<ShardId, NodeId>;

// "7" or "0-255". InvalidArgument: something else, or a shard that there is not.
absl::StatusOr<std::vector<ShardId>> ParseShards(std::string_view words, uint32_t shards);
// `owners` by shard. Moves as few as possible so that the nodes of `takers` have them all, in
// numbers that differ by one at most.
MovePlan EvenPlan(const std::vector<NodeId>& owners, const std::vector<NodeId>& takers);

}  // namespace opic::cli
