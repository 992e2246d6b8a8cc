// Audits and the cuts they are made of, on the wire and back. Sums travel as decimal digits.
#pragma once

#include "absl/status/statusor.h"
#include "ledger/peer_book.h"
#include "node/ranking.h"

namespace opic::v1 {
class AuditReply;
class CutReply;
class DeclareLostReply;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(const node::Audit& audit, v1::AuditReply* wire);
void ToWire(const ledger::Cut& cut, v1::CutReply* wire);

// InvalidArgument: a sum or a number that no node would tell.
absl::StatusOr<node::Audit> FromWire(const v1::AuditReply& wire);
absl::StatusOr<ledger::Cut> FromWire(const v1::CutReply& wire);

void ToWire(const ledger::LostChannel& lost, v1::DeclareLostReply* wire);
absl::StatusOr<ledger::LostChannel> FromWire(const v1::DeclareLostReply& wire);

}  // namespace opic::rpc
