// node::Answers' results on the wire and back, but for audits (rpc/audit_wire.h).
#pragma once

#include "node/running_node.h"

namespace opic::v1 {
class PageImportance;
class TopReply;
class StatusReply;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(const node::PageImportance& page, v1::PageImportance* wire);
void ToWire(const node::Answers::TopPages& top, v1::TopReply* wire);
void ToWire(const node::NodeStats& stats, v1::StatusReply* wire);

node::PageImportance FromWire(const v1::PageImportance& wire);
node::Answers::TopPages FromWire(const v1::TopReply& wire);
node::NodeStats FromWire(const v1::StatusReply& wire);

}  // namespace opic::rpc
