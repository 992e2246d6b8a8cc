// A node's pages for an export, on the wire and back.
//
// Thread safety: pure.
#pragma once

#include "absl/status/statusor.h"
#include "node/export_desk.h"

namespace opic::v1 {
class ReadRequest;
class ReadResponse;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(const node::ExportPosition& position, v1::ReadRequest* wire);
void ToWire(const node::ExportedRows& rows, v1::ReadResponse* wire);

// InvalidArgument: what no node would tell: a word that names no page, pages that do not ascend, a
// sum that is none.
absl::StatusOr<node::ExportPosition> FromWire(const v1::ReadRequest& wire);
absl::StatusOr<node::ExportedRows> FromWire(const v1::ReadResponse& wire);

}  // namespace opic::rpc
