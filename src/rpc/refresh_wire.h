// How pages are read again, on the wire (proto/opic/v1/control.proto).
//
// Thread safety: pure.
#pragma once

#include "absl/status/statusor.h"
#include "node/due_times.h"
#include "node/refresh_options.h"
#include "refresh/publication.h"

namespace opic::v1 {
class Publication;
class RefreshStatus;
class TuneRefreshRequest;
class WhenDueResponse;
}  // namespace opic::v1

namespace opic::rpc {

void ToWire(const node::RefreshStats& stats, v1::RefreshStatus* wire);
node::RefreshStats FromWire(const v1::RefreshStatus& wire);

void ToWire(const node::RefreshTuning& tuning, v1::TuneRefreshRequest* wire);
// InvalidArgument: a category is unknown.
absl::StatusOr<node::RefreshTuning> FromWire(const v1::TuneRefreshRequest& wire);

void ToWire(const refresh::Publication& publication, v1::Publication* wire);
// InvalidArgument: its treatment or target is unknown. Nothing else is checked.
absl::StatusOr<refresh::Publication> FromWire(const v1::Publication& wire);

void ToWire(const node::DueTimes& times, v1::WhenDueResponse* wire);
// What this program does not know of is left out.
node::DueTimes FromWire(const v1::WhenDueResponse& wire);

}  // namespace opic::rpc
