// opic-modules: scheduler schedule base
// The input as what a scheduler has stored of a host, and as what another one tells of its hosts.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "scheduler/host_record.h"
#include "scheduler/host_state.h"

namespace opic::scheduler {
namespace {

void Check(std::string_view bytes) {
  if (const auto pace = DecodePace(bytes)) OPIC_CHECK(DecodePace(EncodePace(*pace)) == *pace);
  const absl::Time now = absl::FromUnixSeconds(1'700'000'000);
  const auto hosts = DecodeHosts(bytes, now);
  if (!hosts) return;
  OPIC_CHECK(hosts->size() <= bytes.size());
  const std::string again = EncodeHosts(*hosts, now, 2 * bytes.size() + 64 * hosts->size());
  const auto read = DecodeHosts(again, now);
  OPIC_CHECK(read && read->size() == hosts->size());
}

}  // namespace
}  // namespace opic::scheduler

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  opic::scheduler::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
