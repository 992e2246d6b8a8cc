// node::Answers' results on the wire and back, but for audits (rpc/audit_wire.h), rankings
// (rpc/top_wire.h) and status (rpc/status_wire.h).
//
// Thread safety: pure.
#pragma once

#include "node/running_node.h"

namespace opic::v1 {
class ExplainUrlResponse;
class PageImportance;
enum RankingMethod : int;
}  // namespace opic::v1

namespace opic::rpc {

v1::RankingMethod MethodToWire(importance::Method method);
// A node of an earlier release does not tell: ledger push, as nearly all have it.
importance::Method MethodFromWire(v1::RankingMethod method);

void ToWire(const node::PageImportance& page, v1::PageImportance* wire);
void ToWire(const node::PageExplanation& explanation, v1::ExplainUrlResponse* wire);

node::PageImportance FromWire(const v1::PageImportance& wire);
node::PageExplanation FromWire(const v1::ExplainUrlResponse& wire);

}  // namespace opic::rpc
