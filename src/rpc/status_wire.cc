#include "rpc/status_wire.h"

#include <string>

#include "absl/time/clock.h"
#include "rpc/answer_wire.h"
#include "rpc/enum_words.h"
#include "rpc/refresh_wire.h"
#include "rpc/time_wire.h"

namespace opic::rpc {

void ToWire(const cluster::ChannelStatus& channel, v1::ChannelStatus* wire) {
  wire->set_peer(channel.peer.value);
  wire->set_name(channel.name);
  wire->set_connected(channel.connected);
  wire->set_alarm(channel.alarm);
  wire->set_unacknowledged(channel.unacknowledged);
  wire->set_outbox_bytes(channel.outbox_bytes);
  wire->set_batches_sent(channel.batches_sent);
  wire->set_batches_resent(channel.batches_resent);
  wire->set_batches_received(channel.batches_received);
  wire->set_batches_repeated(channel.batches_repeated);
  if (channel.heard > absl::UnixEpoch()) *wire->mutable_heard() = WireTime(channel.heard);
}

cluster::ChannelStatus FromWire(const v1::ChannelStatus& wire) {
  cluster::ChannelStatus channel;
  channel.peer = NodeId{static_cast<uint16_t>(wire.peer())};
  channel.name = wire.name();
  channel.connected = wire.connected();
  channel.alarm = wire.alarm();
  channel.unacknowledged = wire.unacknowledged();
  channel.outbox_bytes = wire.outbox_bytes();
  channel.batches_sent = wire.batches_sent();
  channel.batches_resent = wire.batches_resent();
  channel.batches_received = wire.batches_received();
  channel.batches_repeated = wire.batches_repeated();
  channel.heard = wire.has_heard() ? TimeOf(wire.heard()) : absl::UnixEpoch();
  // Both ends have said Hello: a node of an earlier release does not tell when.
  if (channel.connected && channel.heard <= absl::UnixEpoch()) channel.heard = absl::Now();
  return channel;
}

namespace {

// Where the pages of a kind of visit stand.
struct VisitedField {
  ledger::VisitKind kind;
  uint64_t (v1::VisitedPages::*get)() const;
  void (v1::VisitedPages::*set)(uint64_t);
};
using Visited = v1::VisitedPages;
constexpr VisitedField kVisited[] = {
    {ledger::VisitKind::kFetched, &Visited::fetched, &Visited::set_fetched},
    {ledger::VisitKind::kNotModified, &Visited::not_modified, &Visited::set_not_modified},
    {ledger::VisitKind::kRedirect, &Visited::redirect, &Visited::set_redirect},
    {ledger::VisitKind::kGone, &Visited::gone, &Visited::set_gone},
    {ledger::VisitKind::kFailed, &Visited::failed, &Visited::set_failed},
    {ledger::VisitKind::kForbidden, &Visited::forbidden, &Visited::set_forbidden},
    {ledger::VisitKind::kOutOfScope, &Visited::out_of_scope, &Visited::set_out_of_scope},
};
static_assert(std::size(kVisited) == ledger::kVisitKinds);

void Fill(const node::NodeStats& stats, v1::CrawlStatus* wire) {
  wire->set_phase(ValueOf<v1::CrawlPhase>(node::Name(stats.loop.phase)));
  wire->set_paused(stats.paused);
  wire->set_limit_reached(stats.loop.limit_reached);
  wire->set_pages(stats.loop.pages);
  wire->set_unread(stats.loop.unread);
  for (const VisitedField& field : kVisited) {
    (wire->mutable_visited()->*field.set)(stats.loop.by_kind[static_cast<size_t>(field.kind)]);
  }
}

void Read(const v1::CrawlStatus& wire, node::NodeStats& stats) {
  for (const node::Phase phase : node::kPhases) {
    if (WordOf(wire.phase()) == node::Name(phase)) stats.loop.phase = phase;
  }
  stats.paused = wire.paused();
  stats.loop.limit_reached = wire.limit_reached();
  stats.loop.pages = wire.pages();
  stats.loop.unread = wire.unread();
  for (const VisitedField& field : kVisited) {
    stats.loop.by_kind[static_cast<size_t>(field.kind)] = (wire.visited().*field.get)();
  }
}

void Fill(const node::LoopStats& loop, v1::RankingStatus* wire) {
  wire->set_method(MethodToWire(loop.method));
  wire->set_error_bound(loop.error_bound);
  wire->set_rounding_error(loop.rounding_error);
  wire->set_settling(loop.settling);
  wire->set_clock_supplies(loop.clock);
  wire->set_restate_due(loop.restate_due);
}

void Read(const v1::RankingStatus& wire, node::LoopStats& loop) {
  loop.method = MethodFromWire(wire.method());
  loop.error_bound = wire.error_bound();
  loop.rounding_error = wire.rounding_error();
  loop.settling = wire.settling();
  loop.clock = wire.clock_supplies();
  loop.restate_due = wire.restate_due();
}

void Fill(const node::NodeStats& stats, v1::FetchStatus* wire) {
  wire->set_ordered(stats.loop.ordered);
  wire->set_withheld(stats.loop.withheld);
  wire->set_in_flight(stats.in_flight);
  wire->set_in_progress(stats.in_progress);
  if (stats.loop.requests_per_s) wire->set_requests_per_s(*stats.loop.requests_per_s);
  wire->set_scheduler_away(stats.scheduler_away);
  if (stats.without_network_since)
    *wire->mutable_without_network_since() = WireTime(*stats.without_network_since);
}

void Read(const v1::FetchStatus& wire, node::NodeStats& stats) {
  stats.loop.ordered = wire.ordered();
  stats.loop.withheld = wire.withheld();
  stats.in_flight = wire.in_flight();
  stats.in_progress = wire.in_progress();
  if (wire.has_requests_per_s()) stats.loop.requests_per_s = wire.requests_per_s();
  stats.scheduler_away = wire.scheduler_away();
  if (wire.has_without_network_since())
    stats.without_network_since = TimeOf(wire.without_network_since());
}

void Fill(const node::NodeStats& stats, v1::LedgerStatus* wire) {
  wire->set_epoch(stats.loop.epoch);
  wire->set_log_number(stats.loop.log_number);
  wire->set_records_replayed(stats.recovery.records_replayed);
  *wire->mutable_recovery() = WireDuration(stats.recovery_time);
  *wire->mutable_longest_turn() = WireDuration(stats.loop.longest_turn);
  wire->set_virtual_share(stats.loop.virtual_share);
  wire->set_threshold(stats.loop.threshold);
  wire->set_table_bytes(stats.loop.table_bytes);
}

void Read(const v1::LedgerStatus& wire, node::NodeStats& stats) {
  stats.loop.epoch = wire.epoch();
  stats.loop.log_number = wire.log_number();
  stats.recovery.records_replayed = wire.records_replayed();
  stats.recovery_time = DurationOf(wire.recovery());
  stats.loop.longest_turn = DurationOf(wire.longest_turn());
  stats.loop.virtual_share = wire.virtual_share();
  stats.loop.threshold = wire.threshold();
  stats.loop.table_bytes = wire.table_bytes();
}

void Fill(const node::LoopStats& loop, v1::PeersStatus* wire) {
  for (const cluster::ChannelStatus& channel : loop.channels) ToWire(channel, wire->add_channels());
  wire->set_outbox_full(loop.outbox_full);
}

void Read(const v1::PeersStatus& wire, node::LoopStats& loop) {
  for (const v1::ChannelStatus& channel : wire.channels())
    loop.channels.push_back(FromWire(channel));
  loop.outbox_full = wire.outbox_full();
}

void Fill(const node::DiskState& disk, v1::DiskStatus* wire) {
  wire->set_low(disk.low);
  wire->set_free_bytes(disk.free_bytes);
  wire->set_free_min(disk.free_min);
  wire->set_free_enough(disk.free_enough);
}

void Fill(const node::MemoryParts& memory, v1::ProcessStatus* wire) {
  wire->set_memory_limit(memory.limit);
  for (size_t i = 0; i < node::kMemoryParts; ++i) {
    const node::MemoryUse& use = memory.parts[i];
    if (use.limit == 0) continue;
    v1::MemoryUse& part = (*wire->mutable_memory())[std::string(node::kMemoryPartKeys[i])];
    part.set_bytes(use.bytes);
    part.set_limit(use.limit);
    part.set_peak(use.peak);
  }
}

void Read(const v1::ProcessStatus& wire, node::MemoryParts& memory) {
  memory.limit = wire.memory_limit();
  for (size_t i = 0; i < node::kMemoryParts; ++i) {
    const auto part = wire.memory().find(std::string(node::kMemoryPartKeys[i]));
    if (part == wire.memory().end()) continue;
    memory.parts[i] = {part->second.bytes(), part->second.limit(), part->second.peak()};
  }
}

void Fill(const node::NodeStats& stats, v1::ProcessStatus* wire) {
  *wire->mutable_uptime() = WireDuration(stats.uptime);
  *wire->mutable_fetch_cpu() = WireDuration(stats.fetch_cpu);
  *wire->mutable_parse_cpu() = WireDuration(stats.worker_cpu);
  *wire->mutable_ledger_cpu() = WireDuration(stats.loop.cpu);
  wire->set_memory_bytes_peak(stats.memory_bytes_peak);
  wire->set_calls_bytes_max(stats.calls_bytes_max);
  wire->set_release(stats.release);
  Fill(stats.memory, wire);
}

void Read(const v1::ProcessStatus& wire, node::NodeStats& stats) {
  stats.uptime = DurationOf(wire.uptime());
  stats.fetch_cpu = DurationOf(wire.fetch_cpu());
  stats.worker_cpu = DurationOf(wire.parse_cpu());
  stats.loop.cpu = DurationOf(wire.ledger_cpu());
  stats.memory_bytes_peak = wire.memory_bytes_peak();
  stats.calls_bytes_max = wire.calls_bytes_max();
  stats.release = wire.release();
  Read(wire, stats.memory);
}

void Fill(const node::NodeStats& stats, v1::NodeStatus* wire) {
  wire->set_name(stats.name);
  Fill(stats, wire->mutable_crawl());
  Fill(stats.loop, wire->mutable_ranking());
  Fill(stats, wire->mutable_fetch());
  if (stats.loop.refresh.on) ToWire(stats.loop.refresh, wire->mutable_refresh());
  Fill(stats, wire->mutable_ledger());
  if (!stats.loop.channels.empty() || stats.loop.outbox_full)
    Fill(stats.loop, wire->mutable_peers());
  if (stats.loop.disk.free_min > 0) Fill(stats.loop.disk, wire->mutable_disk());
  Fill(stats, wire->mutable_process());
  stats.counters.ForEach([wire](std::string_view key, uint64_t count) {
    (*wire->mutable_counters())[std::string(key)] = count;
  });
}

node::NodeStats Read(const v1::NodeStatus& wire) {
  node::NodeStats stats;
  stats.name = wire.name();
  Read(wire.crawl(), stats);
  Read(wire.ranking(), stats.loop);
  Read(wire.fetch(), stats);
  if (wire.has_refresh()) stats.loop.refresh = FromWire(wire.refresh());
  Read(wire.ledger(), stats);
  Read(wire.peers(), stats.loop);
  const v1::DiskStatus& disk = wire.disk();
  stats.loop.disk = {disk.low(), disk.free_bytes(), disk.free_min(), disk.free_enough()};
  Read(wire.process(), stats);
  stats.counters.ForEach([&wire](std::string_view key, uint64_t& count) {
    const auto found = wire.counters().find(std::string(key));
    if (found != wire.counters().end()) count = found->second;
  });
  return stats;
}

}  // namespace

void ToWire(const node::NodeStats& stats, v1::GetStatusResponse* wire) {
  Fill(stats, wire->mutable_total());
  for (const node::NodeStats& node : stats.nodes) Fill(node, wire->add_nodes());
  for (const std::string& name : stats.missing) wire->add_missing_nodes(name);
}

node::NodeStats FromWire(const v1::GetStatusResponse& wire) {
  node::NodeStats stats = Read(wire.total());
  for (const v1::NodeStatus& node : wire.nodes()) stats.nodes.push_back(Read(node));
  stats.missing.assign(wire.missing_nodes().begin(), wire.missing_nodes().end());
  return stats;
}

}  // namespace opic::rpc
