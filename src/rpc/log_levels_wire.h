// Levels of the log, as they travel.
//
// Thread safety: pure.
#pragma once

#include "absl/status/statusor.h"
#include "base/log_levels.h"
#include "opic/v1/control.pb.h"

namespace opic::rpc {

void ToWire(const base::LogLevelChange& change, v1::SetLogLevelRequest* wire);
// InvalidArgument: it changes nothing, or names a level or a module that there is not.
absl::StatusOr<base::LogLevelChange> FromWire(const v1::SetLogLevelRequest& wire);

void ToWire(const base::LogLevels& levels, v1::InForceResponse* wire);
// A level of a later release is left out; that of everything is then info.
base::LogLevels LogLevelsOf(const v1::InForceResponse& wire);

}  // namespace opic::rpc
