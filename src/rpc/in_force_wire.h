// What is in force, on the wire (proto/opic/v1/control.proto).
//
// Thread safety: pure.
#pragma once

#include "absl/status/statusor.h"
#include "node/in_force.h"

namespace opic::v1 {
class InForceResponse;
}

namespace opic::rpc {

void ToWire(const node::InForce& now, v1::InForceResponse* wire);
// InvalidArgument: a category of pages is not known here.
absl::StatusOr<node::InForce> FromWire(const v1::InForceResponse& wire);

}  // namespace opic::rpc
