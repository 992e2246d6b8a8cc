// How a host's pace is stored: one row a host in Table::kHost under its name
// (docs/formats/scheduler_store.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schedule/host_pace.h"

namespace opic::scheduler {

// Times are rounded up to milliseconds: a restart never asks too early.
std::string EncodePace(const schedule::HostPace& pace);
// Nothing: not written by EncodePace.
std::optional<schedule::HostPace> DecodePace(std::string_view bytes);

// Its times by another clock, which is ahead by so much.
schedule::HostPace Shifted(schedule::HostPace pace, absl::Duration by);

}  // namespace opic::scheduler
