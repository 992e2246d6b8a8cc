// Watching a ranking, on the wire and back.
//
// Thread safety: pure.
#pragma once

#include "absl/status/statusor.h"
#include "rpc/ranking_watch.h"

namespace opic::v1 {
class WatchResponse;
class WatchRequest;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(const WatchQuery& query, v1::WatchRequest* wire);
// InvalidArgument: a field is out of bounds, or a URL is not one.
absl::StatusOr<WatchQuery> FromWire(const v1::WatchRequest& wire);
void ToWire(const WatchChanges& changes, v1::WatchResponse* wire);
WatchChanges FromWire(const v1::WatchResponse& wire);

}  // namespace opic::rpc
