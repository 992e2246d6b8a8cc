// node::Answers' results on the wire and back, but for audits (rpc/audit_wire.h) and rankings
// (rpc/top_wire.h).
#pragma once

#include "node/running_node.h"

namespace opic::v1 {
class ExplainUrlResponse;
class PageImportance;
class StatusResponse;
}  // namespace opic::v1

namespace opic::rpc {

// A node that knows of no choice has windows.
importance::Method MethodFromWire(const std::string& name);

void ToWire(const node::PageImportance& page, v1::PageImportance* wire);
void ToWire(const node::PageExplanation& explanation, v1::ExplainUrlResponse* wire);
void ToWire(const node::NodeStats& stats, v1::StatusResponse* wire);

node::PageImportance FromWire(const v1::PageImportance& wire);
node::PageExplanation FromWire(const v1::ExplainUrlResponse& wire);
node::NodeStats FromWire(const v1::StatusResponse& wire);

}  // namespace opic::rpc
