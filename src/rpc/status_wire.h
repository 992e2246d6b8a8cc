// What a node, or its whole cluster, is doing: on the wire and back.
//
// Thread safety: pure.
#pragma once

#include "cluster/exchange.h"
#include "node/answers.h"
#include "opic/v1/control.pb.h"

namespace opic::rpc {

void ToWire(const node::NodeStats& stats, v1::GetStatusResponse* wire);
node::NodeStats FromWire(const v1::GetStatusResponse& wire);

void ToWire(const cluster::ChannelStatus& channel, v1::ChannelStatus* wire);
cluster::ChannelStatus FromWire(const v1::ChannelStatus& wire);

}  // namespace opic::rpc
