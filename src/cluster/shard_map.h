// Which node owns which shard, and what was fixed when the cluster began
// (docs/design.md section 3).
//
// One JSON file, the same on every node, made by `opic cluster init` (docs/operations.md). The map
// is a routing hint: a node that is paid for a page it does not own pays it on to the owner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ids.h"
#include "ledger/charter.h"

namespace opic::cluster {

struct MemberNode {
  NodeId id;
  std::string name;         // of its certificate and in messages; distinct
  std::string address;      // HOST:PORT where peers and clients reach it
  uint32_t generation = 1;  // of its data folder; raised when a lost one is begun anew
  // For a later generation: what passed the channels of the folders before it.
  std::vector<ledger::LostChannel> lost;
};

// Thread safety: immutable value.
class ShardMap {
 public:
  // Spreads the shards evenly over the nodes in contiguous ranges and numbers the nodes in their
  // order. The first one has the supply. REQUIRES: 1 to `charter.shards` nodes.
  static ShardMap Even(const ledger::Charter& charter, std::vector<MemberNode> nodes);
  // InvalidArgument says which part of the file is wrong and why ("nodes[2].name is there twice").
  static absl::StatusOr<ShardMap> Parse(std::string_view json);
  static absl::StatusOr<ShardMap> Read(const std::string& path);
  std::string ToJson() const;

  uint64_t version() const { return version_; }
  const std::vector<MemberNode>& nodes() const { return nodes_; }  // by id, dense from 0
  const MemberNode& node(NodeId id) const { return nodes_[id.value]; }
  // By name or number; nothing: there is none such.
  std::optional<NodeId> Find(std::string_view name_or_number) const;
  NodeId OwnerOf(ShardId shard) const { return owners_[shard.value]; }
  // What a data folder of node `id` begins with: cluster, supply, shards, h_url, window; its own
  // genesis, which is the whole supply for the first node and nothing for the others; and what
  // passed the channels of lost folders.
  ledger::Charter CharterOf(NodeId id) const;
  // The map in which a folder of the next generation takes the place of the node's lost one.
  ShardMap WithSuccessor(NodeId lost, std::vector<ledger::LostChannel> channels) const;
  // The map with one more node, which has no shards yet. REQUIRES: its name and address are new.
  ShardMap WithNode(std::string name, std::string address) const;

 private:
  uint64_t version_ = 1;
  ledger::Charter charter_;
  std::vector<MemberNode> nodes_;
  std::vector<NodeId> owners_;
};

}  // namespace opic::cluster
