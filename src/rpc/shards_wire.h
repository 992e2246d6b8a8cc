// Moves of shards on the wire (proto/opic/v1/control.proto).
//
// Thread safety: pure.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "node/shard_mover.h"

namespace opic::v1 {
class MoveShardsRequest;
class ShardsResponse;
}  // namespace opic::v1

namespace opic::rpc {

struct MoveOrder {
  std::vector<ShardId> shards;
  NodeId to;
};

void ToWire(const MoveOrder& order, v1::MoveShardsRequest* wire);
// InvalidArgument: a number is out of range.
absl::StatusOr<MoveOrder> FromWire(const v1::MoveShardsRequest& wire);

void ToWire(const std::vector<node::ShardStatus>& shards, v1::ShardsResponse* wire);
absl::StatusOr<std::vector<node::ShardStatus>> FromWire(const v1::ShardsResponse& wire);

}  // namespace opic::rpc
