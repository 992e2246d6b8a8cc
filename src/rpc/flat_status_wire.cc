#include "rpc/flat_status_wire.h"

#include "rpc/answer_wire.h"
#include "rpc/enum_words.h"
#include "rpc/refresh_wire.h"
#include "rpc/status_wire.h"
#include "rpc/time_wire.h"

namespace opic::rpc {

void ToWire(const node::NodeStats& stats, v1::StatusResponse* wire) {
  wire->set_phase(ValueOf<v1::CrawlPhase>(node::Name(stats.loop.phase)));
  wire->set_pages(stats.loop.pages);
  wire->set_unread(stats.loop.unread);
  wire->set_ordered(stats.loop.ordered);
  wire->set_withheld(stats.loop.withheld);
  wire->set_in_flight(stats.in_flight);
  wire->set_in_progress(stats.in_progress);
  for (int kind = 0; kind < ledger::kVisitKinds; ++kind) {
    (*wire->mutable_by_state())[std::string(ledger::Name(static_cast<ledger::VisitKind>(kind)))] =
        stats.loop.by_kind[static_cast<size_t>(kind)];
  }
  stats.counters.ForEach([wire](std::string_view key, uint64_t count) {
    (*wire->mutable_counters())[std::string(key)] = count;
  });
  wire->set_threshold(stats.loop.threshold);
  wire->set_limit_reached(stats.loop.limit_reached);
  wire->set_clock_supplies(stats.loop.clock);
  wire->set_error_bound(stats.loop.error_bound);
  wire->set_rounding_error(stats.loop.rounding_error);
  wire->set_restate_due(stats.loop.restate_due);
  wire->set_settling(stats.loop.settling);
  wire->set_method(MethodToWire(stats.loop.method));
  wire->set_virtual_share(stats.loop.virtual_share);
  wire->set_log_number(stats.loop.log_number);
  wire->set_table_bytes(stats.loop.table_bytes);
  *wire->mutable_fetch_cpu() = WireDuration(stats.fetch_cpu);
  *wire->mutable_parse_cpu() = WireDuration(stats.worker_cpu);
  *wire->mutable_ledger_cpu() = WireDuration(stats.loop.cpu);
  *wire->mutable_recovery() = WireDuration(stats.recovery_time);
  wire->set_records_replayed(stats.recovery.records_replayed);
  *wire->mutable_longest_turn() = WireDuration(stats.loop.longest_turn);
  *wire->mutable_uptime() = WireDuration(stats.uptime);
  wire->set_memory_bytes_peak(stats.memory_bytes_peak);
  wire->set_memory_limit(stats.memory.limit);
  for (size_t i = 0; i < node::kMemoryParts; ++i) {
    const node::MemoryUse& use = stats.memory.parts[i];
    if (use.limit == 0) continue;
    v1::MemoryUse& part = (*wire->mutable_memory())[std::string(node::kMemoryPartKeys[i])];
    part.set_bytes(use.bytes);
    part.set_limit(use.limit);
    part.set_peak(use.peak);
  }
  wire->set_epoch(stats.loop.epoch);
  wire->set_outbox_full(stats.loop.outbox_full);
  if (stats.loop.requests_per_s) wire->set_requests_per_s(*stats.loop.requests_per_s);
  if (const node::DiskState& disk = stats.loop.disk; disk.free_min > 0) {
    v1::DiskStatus& told = *wire->mutable_disk();
    told.set_low(disk.low);
    told.set_free_bytes(disk.free_bytes);
    told.set_free_min(disk.free_min);
    told.set_free_enough(disk.free_enough);
  }
  for (const cluster::ChannelStatus& channel : stats.loop.channels)
    ToWire(channel, wire->add_channels());
  wire->set_calls_bytes_max(stats.calls_bytes_max);
  if (stats.loop.refresh.on) ToWire(stats.loop.refresh, wire->mutable_refresh());
  wire->set_scheduler_away(stats.scheduler_away);
  wire->set_paused(stats.paused);
  if (stats.without_network_since)
    *wire->mutable_without_network_since() = WireTime(*stats.without_network_since);
  wire->set_name(stats.name);
  for (const node::NodeStats& node : stats.nodes) ToWire(node, wire->add_nodes());
  for (const std::string& name : stats.missing) wire->add_missing_nodes(name);
}

node::NodeStats FromWire(const v1::StatusResponse& wire) {
  node::NodeStats stats;
  for (const node::Phase phase : node::kPhases) {
    if (WordOf(wire.phase()) == node::Name(phase)) stats.loop.phase = phase;
  }
  stats.loop.pages = wire.pages();
  stats.loop.unread = wire.unread();
  stats.loop.ordered = wire.ordered();
  stats.loop.withheld = wire.withheld();
  stats.in_flight = wire.in_flight();
  stats.in_progress = wire.in_progress();
  for (int kind = 0; kind < ledger::kVisitKinds; ++kind) {
    const auto found =
        wire.by_state().find(std::string(ledger::Name(static_cast<ledger::VisitKind>(kind))));
    if (found != wire.by_state().end())
      stats.loop.by_kind[static_cast<size_t>(kind)] = found->second;
  }
  stats.counters.ForEach([&wire](std::string_view key, uint64_t& count) {
    const auto found = wire.counters().find(std::string(key));
    if (found != wire.counters().end()) count = found->second;
  });
  stats.loop.threshold = wire.threshold();
  stats.loop.limit_reached = wire.limit_reached();
  stats.loop.clock = wire.clock_supplies();
  stats.loop.error_bound = wire.error_bound();
  stats.loop.rounding_error = wire.rounding_error();
  stats.loop.restate_due = wire.restate_due();
  stats.loop.settling = wire.settling();
  stats.loop.method = MethodFromWire(wire.method());
  if (wire.has_refresh()) stats.loop.refresh = FromWire(wire.refresh());
  stats.loop.virtual_share = wire.virtual_share();
  stats.loop.log_number = wire.log_number();
  stats.loop.table_bytes = wire.table_bytes();
  stats.fetch_cpu = DurationOf(wire.fetch_cpu());
  stats.worker_cpu = DurationOf(wire.parse_cpu());
  stats.loop.cpu = DurationOf(wire.ledger_cpu());
  stats.recovery_time = DurationOf(wire.recovery());
  stats.recovery.records_replayed = wire.records_replayed();
  stats.loop.longest_turn = DurationOf(wire.longest_turn());
  stats.uptime = DurationOf(wire.uptime());
  stats.memory_bytes_peak = wire.memory_bytes_peak();
  stats.memory.limit = wire.memory_limit();
  for (size_t i = 0; i < node::kMemoryParts; ++i) {
    const auto part = wire.memory().find(std::string(node::kMemoryPartKeys[i]));
    if (part == wire.memory().end()) continue;
    stats.memory.parts[i] = {part->second.bytes(), part->second.limit(), part->second.peak()};
  }
  stats.loop.epoch = wire.epoch();
  stats.loop.outbox_full = wire.outbox_full();
  if (wire.has_requests_per_s()) stats.loop.requests_per_s = wire.requests_per_s();
  const v1::DiskStatus& disk = wire.disk();
  stats.loop.disk = {disk.low(), disk.free_bytes(), disk.free_min(), disk.free_enough()};
  for (const v1::ChannelStatus& channel : wire.channels())
    stats.loop.channels.push_back(FromWire(channel));
  stats.calls_bytes_max = wire.calls_bytes_max();
  stats.scheduler_away = wire.scheduler_away();
  stats.paused = wire.paused();
  if (wire.has_without_network_since())
    stats.without_network_since = TimeOf(wire.without_network_since());
  stats.name = wire.name();
  for (const v1::StatusResponse& node : wire.nodes()) stats.nodes.push_back(FromWire(node));
  stats.missing.assign(wire.missing_nodes().begin(), wire.missing_nodes().end());
  return stats;
}

}  // namespace opic::rpc
