#include "rpc/waiting_wire.h"

#include <string>

#include "opic/v1/scheduler.pb.h"

namespace opic::rpc {

using scheduler::HostWait;
using scheduler::kHostWaits;
using scheduler::WaitingHosts;

void ToWire(const scheduler::WaitingReport& report, absl::Duration wall_ahead,
            v1::ExplainWaitingReply* wire) {
  for (size_t i = 0; i < kHostWaits; ++i) {
    const WaitingHosts& waiting = report.reasons[i];
    if (waiting.hosts == 0) continue;
    v1::WaitingHosts& entry = *wire->add_waiting();
    entry.set_reason(std::string(Name(static_cast<HostWait>(i))));
    entry.set_hosts(waiting.hosts);
    entry.set_pages(waiting.pages);
    if (waiting.first != absl::InfiniteFuture())
      entry.set_first_us(absl::ToUnixMicros(waiting.first + wall_ahead));
    entry.set_example(waiting.example);
  }
  wire->set_idle_reason(report.idle_reason);
}

scheduler::WaitingReport FromWire(const v1::ExplainWaitingReply& wire) {
  scheduler::WaitingReport report;
  for (const v1::WaitingHosts& entry : wire.waiting()) {
    for (size_t i = 0; i < kHostWaits; ++i) {
      if (Name(static_cast<HostWait>(i)) != entry.reason()) continue;
      WaitingHosts& waiting = report.reasons[i];
      waiting.hosts = entry.hosts();
      waiting.pages = entry.pages();
      if (entry.first_us() != 0) waiting.first = absl::FromUnixMicros(entry.first_us());
      waiting.example = entry.example();
    }
  }
  report.idle_reason = wire.idle_reason();
  return report;
}

}  // namespace opic::rpc
