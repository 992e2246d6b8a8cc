// What a node is doing, as programs of the release before read and tell it: in one flat message. It
// goes with the next release.
//
// Thread safety: pure.
#pragma once

#include "node/answers.h"
#include "opic/v1/control.pb.h"

namespace opic::rpc {

void ToWire(const node::NodeStats& stats, v1::StatusResponse* wire);
node::NodeStats FromWire(const v1::StatusResponse& wire);

}  // namespace opic::rpc
