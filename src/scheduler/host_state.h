// The state of hosts that one Page Scheduler hands over to another, with their shard or with a
// lease: how fast each may be asked, and how long it must still be left alone.
//
// Times are sent as what is left of them, because the clocks of two machines differ: the time on
// the way is waited in addition.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "schedule/host_pace.h"

namespace opic::scheduler {

struct HostState {
  std::string name;
  schedule::HostPace pace;
};

// At most `bytes_max`, those that must wait longest first.
std::string EncodeHosts(std::vector<HostState> hosts, absl::Time now, size_t bytes_max);
// Nothing: EncodeHosts did not write it.
std::optional<std::vector<HostState>> DecodeHosts(std::string_view bytes, absl::Time now);

// The same for one host, without its name.
std::string EncodePaceToGo(const schedule::HostPace& pace, absl::Time now);
std::optional<schedule::HostPace> DecodePaceToGo(std::string_view bytes, absl::Time now);

}  // namespace opic::scheduler
