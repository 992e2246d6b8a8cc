#include "scheduler/host_state.h"

#include <algorithm>

#include "base/encoding.h"
#include "scheduler/host_record.h"

namespace opic::scheduler {
std::string EncodePaceToGo(const schedule::HostPace& pace, absl::Time now) {
  return EncodePace(Shifted(pace, absl::UnixEpoch() - now));
}

std::optional<schedule::HostPace> DecodePaceToGo(std::string_view bytes, absl::Time now) {
  std::optional<schedule::HostPace> pace = DecodePace(bytes);
  if (pace) pace = Shifted(*pace, now - absl::UnixEpoch());
  return pace;
}

std::string EncodeHosts(std::vector<HostState> hosts, absl::Time now, size_t bytes_max) {
  std::sort(hosts.begin(), hosts.end(), [](const HostState& a, const HostState& b) {
    return a.pace.next_allowed > b.pace.next_allowed;
  });
  std::string bytes;
  for (const HostState& host : hosts) {
    std::string one;
    base::AppendBytes(one, host.name);
    base::AppendBytes(one, EncodePaceToGo(host.pace, now));
    if (bytes.size() + one.size() > bytes_max) break;
    bytes += one;
  }
  return bytes;
}

std::optional<std::vector<HostState>> DecodeHosts(std::string_view bytes, absl::Time now) {
  std::vector<HostState> hosts;
  base::Decoder in(bytes);
  while (in.ok() && !in.done()) {
    HostState host;
    host.name = in.Bytes();
    const std::optional<schedule::HostPace> pace = DecodePaceToGo(in.Bytes(), now);
    if (!in.ok() || !pace) return std::nullopt;
    host.pace = *pace;
    hosts.push_back(std::move(host));
  }
  if (!in.ok()) return std::nullopt;
  return hosts;
}

}  // namespace opic::scheduler
