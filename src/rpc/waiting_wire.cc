#include "rpc/waiting_wire.h"

#include <algorithm>
#include <string>

#include "opic/v1/scheduler.pb.h"
#include "rpc/enum_words.h"
#include "rpc/time_wire.h"
#include "schedule/host_rules.h"

namespace opic::rpc {

using scheduler::HostWait;
using scheduler::kHostWaits;
using scheduler::WaitingHosts;

void ToWire(const scheduler::SchedulerStatus& status, absl::Duration cpu,
            v1::PageSchedulerStatusResponse* wire) {
  wire->set_queued(status.queued);
  wire->set_withheld(status.withheld);
  wire->set_queued_on_disk(status.queued_on_disk);
  wire->set_in_flight(status.in_flight);
  wire->set_hosts(status.hosts);
  wire->set_hosts_ready(status.hosts_ready);
  wire->set_hosts_given_up(status.hosts_given_up);
  wire->set_orders(status.orders);
  wire->set_outcomes(status.outcomes);
  wire->set_transient(status.transient);
  wire->set_postponed(status.postponed);
  wire->set_exhausted(status.exhausted);
  wire->set_pages_per_s(status.pages_per_s_max);
  *wire->mutable_delay() = WireDuration(status.delay);
  wire->set_rate_was_set(status.rate_was_set);
  wire->set_delay_was_set(status.delay_was_set);
  wire->set_idle_reason(status.idle_reason);
  *wire->mutable_cpu() = WireDuration(cpu);
}

void ToWire(const schedule::HostExplanation& host, v1::HostExplanation* wire) {
  wire->set_known(host.known);
  wire->set_queued(host.queued);
  wire->set_in_flight(host.in_flight);
  *wire->mutable_next_allowed() = WireTime(host.next_allowed);
  *wire->mutable_delay() = WireDuration(host.delay);
  wire->set_failures(host.failures);
  wire->set_given_up(host.given_up);
  wire->set_address(host.address);
  wire->set_reason(host.reason);
  wire->set_parallel(static_cast<uint32_t>(host.parallel));
}

schedule::HostExplanation FromWire(const v1::HostExplanation& wire) {
  schedule::HostExplanation host;
  host.known = wire.known();
  host.queued = wire.queued();
  host.in_flight = wire.in_flight();
  if (wire.has_next_allowed()) host.next_allowed = TimeOf(wire.next_allowed());
  host.delay = DurationOf(wire.delay());
  host.failures = wire.failures();
  host.given_up = wire.given_up();
  host.address = wire.address();
  host.reason = wire.reason();
  host.parallel = static_cast<int>(std::min(wire.parallel(), schedule::kParallelMax));
  return host;
}

absl::StatusOr<schedule::HostExplanation> FromWire(const v1::ExplainHostResponse& wire) {
  if (wire.has_host()) return FromWire(wire.host());
  return absl::UnimplementedError("the Page Scheduler is of an earlier release; update it");
}

void ToWire(const scheduler::WaitingReport& report, absl::Duration wall_ahead,
            v1::ExplainWaitingResponse* wire) {
  for (size_t i = 0; i < kHostWaits; ++i) {
    const WaitingHosts& waiting = report.reasons[i];
    if (waiting.hosts == 0) continue;
    v1::WaitingHosts& entry = *wire->add_waiting();
    entry.set_reason(ValueOf<v1::WaitReason>(Name(static_cast<HostWait>(i))));
    entry.set_hosts(waiting.hosts);
    entry.set_pages(waiting.pages);
    if (waiting.first != absl::InfiniteFuture())
      *entry.mutable_first() = WireTime(waiting.first + wall_ahead);
    entry.set_example(waiting.example);
  }
  wire->set_idle_reason(report.idle_reason);
}

scheduler::WaitingReport FromWire(const v1::ExplainWaitingResponse& wire) {
  scheduler::WaitingReport report;
  for (const v1::WaitingHosts& entry : wire.waiting()) {
    for (size_t i = 0; i < kHostWaits; ++i) {
      if (Name(static_cast<HostWait>(i)) != WordOf(entry.reason())) continue;
      WaitingHosts& waiting = report.reasons[i];
      waiting.hosts = entry.hosts();
      waiting.pages = entry.pages();
      if (entry.has_first()) waiting.first = TimeOf(entry.first());
      waiting.example = entry.example();
    }
  }
  report.idle_reason = wire.idle_reason();
  return report;
}

}  // namespace opic::rpc
