#include "rpc/shards_wire.h"

#include "base/status_macros.h"
#include "opic/v1/control.pb.h"

namespace opic::rpc {
namespace {

absl::StatusOr<uint16_t> NumberOf(uint32_t number) {
  if (number > kShardOrNodeMax)
    return absl::InvalidArgumentError("a number of a shard or node is too large");
  return static_cast<uint16_t>(number);
}

using State = node::ShardStatus::State;

v1::ShardState StateOf(State state) {
  return state == State::kResting ? v1::SHARD_STATE_RESTING : static_cast<v1::ShardState>(state);
}

absl::StatusOr<State> StateOf(v1::ShardState state) {
  if (state == v1::SHARD_STATE_UNSPECIFIED || state == v1::SHARD_STATE_RESTING)
    return State::kResting;
  if (v1::ShardState_IsValid(state)) return static_cast<State>(state);
  return absl::InvalidArgumentError(
      "the node tells a state of a shard that this release does not know: use the node's release");
}

}  // namespace

void ToWire(const MoveOrder& order, v1::MoveShardsRequest* wire) {
  for (ShardId shard : order.shards) wire->add_shards(shard.value);
  wire->set_to(order.to.value);
}

absl::StatusOr<MoveOrder> FromWire(const v1::MoveShardsRequest& wire) {
  MoveOrder order;
  for (uint32_t number : wire.shards()) {
    ASSIGN_OR_RETURN(const uint16_t shard, NumberOf(number));
    order.shards.push_back(ShardId{shard});
  }
  ASSIGN_OR_RETURN(order.to.value, NumberOf(wire.to()));
  return order;
}

void ToWire(const std::vector<node::ShardStatus>& shards, v1::ShardsResponse* wire) {
  for (const node::ShardStatus& shard : shards) {
    v1::ShardStatus* status = wire->add_shards();
    status->set_shard(shard.shard.value);
    status->set_node(shard.node.value);
    status->set_move(shard.move);
    status->set_state(StateOf(shard.state));
    status->set_pages(shard.pages);
  }
}

absl::StatusOr<std::vector<node::ShardStatus>> FromWire(const v1::ShardsResponse& wire) {
  std::vector<node::ShardStatus> shards;
  for (const v1::ShardStatus& status : wire.shards()) {
    node::ShardStatus shard;
    ASSIGN_OR_RETURN(shard.shard.value, NumberOf(status.shard()));
    ASSIGN_OR_RETURN(shard.node.value, NumberOf(status.node()));
    shard.move = status.move();
    ASSIGN_OR_RETURN(shard.state, StateOf(status.state()));
    shard.pages = status.pages();
    shards.push_back(shard);
  }
  return shards;
}

}  // namespace opic::rpc
