// node::Answers' results on the wire and back, but for audits (rpc/audit_wire.h) and rankings
// (rpc/top_wire.h).
#pragma once

#include "node/running_node.h"

namespace opic::v1 {
class ExplainUrlResponse;
class PageImportance;
class StatusResponse;
enum RankingMethod : int;
}  // namespace opic::v1

namespace opic::rpc {

v1::RankingMethod MethodToWire(importance::Method method);
// A node of an earlier release does not tell: ledger push, as nearly all have it.
importance::Method MethodFromWire(v1::RankingMethod method);

void ToWire(const node::PageImportance& page, v1::PageImportance* wire);
void ToWire(const node::PageExplanation& explanation, v1::ExplainUrlResponse* wire);
void ToWire(const node::NodeStats& stats, v1::StatusResponse* wire);

node::PageImportance FromWire(const v1::PageImportance& wire);
node::PageExplanation FromWire(const v1::ExplainUrlResponse& wire);
node::NodeStats FromWire(const v1::StatusResponse& wire);

}  // namespace opic::rpc
