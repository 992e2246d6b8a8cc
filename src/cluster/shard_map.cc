#include "cluster/shard_map.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "base/check.h"
#include "base/file.h"
#include "base/status_macros.h"

namespace opic::cluster {
namespace {

constexpr size_t kFileBytesMax = 16 << 20;  // 65,536 ranges of one shard take some 4 MB

}  // namespace

ShardMap ShardMap::Even(const ledger::Charter& charter, std::vector<MemberNode> nodes) {
  OPIC_CHECK(!nodes.empty() && nodes.size() <= charter.shards) << "more nodes than shards";
  ShardMap map;
  map.charter_ = charter;
  map.nodes_ = std::move(nodes);
  for (size_t n = 0; n < map.nodes_.size(); ++n) {
    map.nodes_[n].id = NodeAt(n);
  }
  for (uint64_t s = 0; s < charter.shards; ++s) {
    map.owners_.push_back(NodeAt(s * map.nodes_.size() / charter.shards));
  }
  return map;
}

absl::StatusOr<ShardMap> ShardMap::Read(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string json, base::ReadFile(path, kFileBytesMax));
  absl::StatusOr<ShardMap> map = Parse(json);
  if (!map.ok()) return base::WithContext(map.status(), path);
  return map;
}

std::optional<NodeId> ShardMap::Find(std::string_view name_or_number) const {
  for (const MemberNode& node : nodes_) {
    if (node.name == name_or_number) return node.id;
  }
  uint32_t number = 0;
  const absl::string_view digits(name_or_number.data(), name_or_number.size());
  if (!absl::SimpleAtoi(digits, &number) || number >= nodes_.size()) return std::nullopt;
  return NodeAt(number);
}

ledger::Charter ShardMap::CharterOf(NodeId id) const {
  ledger::Charter charter = charter_;
  charter.node = id;
  charter.generation = node(id).generation;
  charter.genesis = id.value == 0 ? charter.supply : cash::Amount();
  charter.lost = node(id).lost;
  return charter;
}

ShardMap ShardMap::WithNode(std::string name, std::string address) const {
  ShardMap next = *this;
  ++next.version_;
  MemberNode node;
  node.id = NodeAt(nodes_.size());
  node.name = std::move(name);
  node.address = std::move(address);
  next.nodes_.push_back(std::move(node));
  return next;
}

ShardMap ShardMap::WithSuccessor(NodeId lost, std::vector<ledger::LostChannel> channels) const {
  ShardMap map = *this;
  ++map.version_;
  ++map.nodes_[lost.value].generation;
  map.nodes_[lost.value].lost = std::move(channels);
  return map;
}

}  // namespace opic::cluster
