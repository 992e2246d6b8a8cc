// Audits and the cuts they are made of, on the wire and back. Sums travel as decimal digits.
//
// Thread safety: pure.
#pragma once

#include "absl/status/statusor.h"
#include "ledger/peer_book.h"
#include "node/ranking.h"

namespace opic::v1 {
class TakeResponse;
class CutResponse;
class DeclareLostResponse;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(const node::Audit& audit, v1::TakeResponse* wire);
void ToWire(const ledger::Cut& cut, v1::CutResponse* wire);

// InvalidArgument: a sum or a number that no node would tell.
absl::StatusOr<node::Audit> FromWire(const v1::TakeResponse& wire);
absl::StatusOr<ledger::Cut> FromWire(const v1::CutResponse& wire);

void ToWire(const ledger::LostChannel& lost, v1::DeclareLostResponse* wire);
absl::StatusOr<ledger::LostChannel> FromWire(const v1::DeclareLostResponse& wire);

}  // namespace opic::rpc
