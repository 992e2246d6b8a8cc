// Where the shards are: which node owns each, as far as it is known here, and what is on its way to
// this node (docs/design.md section 3; docs/decisions/2026-11-21-shard-moves.md).
//
// A shard begins at the node that the cluster's map names, with move number 0. Each departure adds
// one. If two placements of a shard differ, the higher number holds; the owner's is the
// highest there is. For everybody else a placement is a routing hint.
//
// Stored in Table::kMeta, a row for each shard that was ever moved (docs/formats/store.md), written
// with the commit group that changes it.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ids.h"
#include "store/store.h"

namespace opic::ledger {

struct Placement {
  ShardId shard;
  NodeId node;
  uint64_t move = 0;  // 0: by the cluster's map
  friend bool operator==(const Placement&, const Placement&) = default;
};

// No cluster moves a shard more often; numbers from a stranger above it are refused.
inline constexpr uint64_t kMovesMax = uint64_t{1} << 62;

// Table::kMeta: this folder, one that replaces a lost one, has met all its peers, and so has heard
// of every move before.
inline constexpr char kMetKey[] = "met";

// What is stored about one shard. `node` and `move` are the highest placement known. While the
// shard is arriving that may be one here by a later move, which others have reported.
struct ShardRow {
  // Rows of the shard come in from `from`; they end with move number `move`.
  struct Arrival {
    NodeId from;
    uint64_t move = 0;
    friend bool operator==(const Arrival&, const Arrival&) = default;
  };
  NodeId node;
  uint64_t move = 0;
  std::optional<Arrival> arriving;
  // The shard has arrived, with this about its hosts, which the caller has not taken over yet.
  std::optional<std::string> hosts;
  friend bool operator==(const ShardRow&, const ShardRow&) = default;
};

std::string KeyOfShardRow(ShardId shard);
// DataLoss: not a whole row.
std::string Encode(const ShardRow& row);
absl::StatusOr<ShardRow> DecodeShardRow(std::string_view bytes);

class Placements {
 public:
  // `by_map` is the cluster's map; empty: this node has all shards.
  Placements(NodeId self, uint32_t shards, const std::function<NodeId(ShardId)>& by_map);

  // DataLoss: a row is damaged, or names a shard that there is not.
  absl::Status Load(store::Store& store);

  // With what the present group does to it. REQUIRES: the shard exists, here and below.
  // Never this node while the shard is arriving.
  NodeId OwnerOf(ShardId shard) const {
    const ShardRow& row = rows_[shard.value];
    return row.arriving && row.node == self_ ? row.arriving->from : row.node;
  }
  bool Owns(ShardId shard) const { return OwnerOf(shard) == self_; }
  uint64_t move(ShardId shard) const { return rows_[shard.value].move; }
  const std::optional<ShardRow::Arrival>& arriving(ShardId shard) const {
    return rows_[shard.value].arriving;
  }
  std::vector<ShardId> arriving() const;
  // Whether any move is known here.
  bool anything_moved() const { return changes_ > 0 || dirty(); }
  // Whether this says more than what is known.
  bool IsNews(const Placement& placement) const;
  // Whether the shard is arriving here by a move that is over by then: another node has it since.
  bool Overtakes(const Placement& placement) const;

  // Within the present group:
  void Learn(const Placement& placement);  // REQUIRES: it is news
  // REQUIRES: it is not arriving, or by an earlier move, which ends with this.
  void BeginArrival(ShardId shard, NodeId from, uint64_t move);
  // The shard is owned from here on. REQUIRES: it was arriving.
  void EndArrival(ShardId shard, std::string hosts);
  // It will not be owned after all. REQUIRES: it was arriving.
  void GiveUpArrival(ShardId shard);
  void HostsApplied(ShardId shard);

  // As of the last commit: owned, whole, and its hosts taken over.
  bool Workable(ShardId shard) const;
  // Arrived whole as of the last commit, hosts not taken over; with what came of them.
  std::vector<std::pair<ShardId, std::string>> WithHosts() const;
  // What was learnt by other commits than the first `changes`, as of the last commit; 0: all
  // shards that were ever moved.
  std::vector<Placement> Since(uint64_t changes) const;
  uint64_t changes() const { return changes_; }

  bool dirty() const { return !changed_.empty(); }
  void WriteTo(store::Batch& batch) const;
  void Committed();

 private:
  ShardRow& Change(ShardId shard);

  const NodeId self_;
  std::vector<ShardRow> rows_, durable_;  // by shard
  std::vector<uint64_t> changed_at_;      // by shard: changes_ after the commit; 0: as by the map
  std::vector<ShardId> changed_;          // by the present group
  uint64_t changes_ = 0;
  uint32_t arriving_ = 0;    // how many shards
  uint32_t with_hosts_ = 0;  // of durable_
};

}  // namespace opic::ledger
