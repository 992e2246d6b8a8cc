// The calls of opic.v1.Control that only clusters need, both ends: shards that move, folders that
// are lost, epochs. rpc/control.cc has the others, and is the only one that includes this.
//
// Thread safety: as rpc/control_ends.h.
#pragma once

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "rpc/audit_wire.h"
#include "rpc/control_ends.h"
#include "rpc/shards_wire.h"

namespace opic::rpc {

class ClusterControlClient : public ControlClientEnd {
 public:
  using ControlClientEnd::ControlClientEnd;

  absl::StatusOr<node::MendedEpoch> MendEpoch() override;
  absl::StatusOr<ledger::LostChannel> DeclareLost(const node::Loss& loss) override;
  absl::Status MoveShards(const std::vector<ShardId>& shards, NodeId to) override;
  absl::StatusOr<std::vector<node::ShardStatus>> Shards() override;
};

class ClusterControlService : public ControlServiceEnd {
 public:
  using ControlServiceEnd::ControlServiceEnd;

  Reactor* MendEpoch(Context*, const v1::MendEpochRequest*, v1::MendEpochResponse*) override;
  Reactor* DeclareLost(Context*, const v1::DeclareLostRequest*, v1::DeclareLostResponse*) override;
  Reactor* MoveShards(Context*, const v1::MoveShardsRequest*, v1::MoveShardsResponse*) override;
  Reactor* Shards(Context*, const v1::ShardsRequest*, v1::ShardsResponse*) override;
};

inline absl::StatusOr<node::MendedEpoch> ClusterControlClient::MendEpoch() {
  ASSIGN_OR_RETURN(const v1::MendEpochResponse reply, Ask(&Stub::MendEpoch));
  return node::MendedEpoch{reply.before(), reply.batches()};
}

inline grpc::ServerUnaryReactor* ClusterControlService::MendEpoch(
    Context* context, const v1::MendEpochRequest* request, v1::MendEpochResponse* reply) {
  return Act(context, Role::kOperator, "MendEpoch", *request, [this, reply]() -> absl::Status {
    ASSIGN_OR_RETURN(const node::MendedEpoch mended, control().MendEpoch());
    reply->set_before(mended.before);
    reply->set_batches(mended.batches);
    return absl::OkStatus();
  });
}

inline absl::StatusOr<ledger::LostChannel> ClusterControlClient::DeclareLost(
    const node::Loss& loss) {
  v1::DeclareLostRequest request;
  request.set_node(loss.peer.value);
  request.set_generation(loss.generation);
  request.set_ask(loss.ask);
  ASSIGN_OR_RETURN(const v1::DeclareLostResponse reply, Ask(&Stub::DeclareLost, request));
  return FromWire(reply);
}

inline grpc::ServerUnaryReactor* ClusterControlService::DeclareLost(
    Context* context, const v1::DeclareLostRequest* request, v1::DeclareLostResponse* reply) {
  const auto declare = [this, request, reply]() -> absl::Status {
    if (request->node() > 0xffff)
      return absl::InvalidArgumentError(
          absl::StrCat("the shard map has no node ", request->node()));
    ASSIGN_OR_RETURN(const ledger::LostChannel lost,
                     control().DeclareLost({NodeId{static_cast<uint16_t>(request->node())},
                                            request->generation(), request->ask()}));
    ToWire(lost, reply);
    return absl::OkStatus();
  };
  if (request->ask()) return Tell(context, Role::kOperator, declare);
  return Act(context, Role::kOperator, "DeclareLost", *request, declare);
}

inline absl::Status ClusterControlClient::MoveShards(const std::vector<ShardId>& shards,
                                                     NodeId to) {
  v1::MoveShardsRequest request;
  ToWire(MoveOrder{shards, to}, &request);
  return Ask(&Stub::MoveShards, request).status();
}

inline grpc::ServerUnaryReactor* ClusterControlService::MoveShards(
    Context* context, const v1::MoveShardsRequest* request, v1::MoveShardsResponse*) {
  return Act(context, Role::kOperator, "MoveShards", *request, [this, request]() -> absl::Status {
    ASSIGN_OR_RETURN(const MoveOrder order, FromWire(*request));
    return control().MoveShards(order.shards, order.to);
  });
}

inline absl::StatusOr<std::vector<node::ShardStatus>> ClusterControlClient::Shards() {
  ASSIGN_OR_RETURN(const v1::ShardsResponse reply, Ask(&Stub::Shards));
  return FromWire(reply);
}

inline grpc::ServerUnaryReactor* ClusterControlService::Shards(Context* context,
                                                               const v1::ShardsRequest*,
                                                               v1::ShardsResponse* reply) {
  return Tell(context, Role::kReader, [this, reply]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::vector<node::ShardStatus> shards, control().Shards());
    ToWire(shards, reply);
    return absl::OkStatus();
  });
}

}  // namespace opic::rpc
