#include "rpc/answer_wire.h"

#include "absl/time/clock.h"
#include "opic/v1/control.pb.h"
#include "opic/v1/importance.pb.h"
#include "refresh/page_plan.h"
#include "rpc/enum_words.h"
#include "rpc/refresh_wire.h"
#include "rpc/time_wire.h"
#include "rpc/waiting_wire.h"

namespace opic::rpc {
namespace {

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

}  // namespace

v1::RankingMethod MethodToWire(importance::Method method) {
  return ValueOf<v1::RankingMethod>(importance::Name(method));
}

importance::Method MethodFromWire(v1::RankingMethod method) {
  const bool window = method == v1::RANKING_METHOD_WINDOW;
  return window ? importance::Method::kWindow : importance::Method::kPush;
}

void ToWire(const node::PageImportance& page, v1::PageImportance* wire) {
  wire->set_url(page.url);
  wire->set_known(page.known);
  wire->set_importance(page.importance);
  wire->set_relative(page.relative);
  wire->set_age_supplies(page.age);
  wire->set_state(ValueOf<v1::PageState>(page.state));
  wire->set_visits(page.visits);
  wire->set_fetches(page.fetches);
  wire->set_links(page.links);
  wire->set_http_status(page.http_status);
  wire->set_failure(page.failure);
  wire->set_category(page.category);
  wire->set_left_out(page.left_out);
  wire->set_canonical(page.canonical);
  wire->set_duplicate_of(page.duplicate_of);
  wire->set_near_duplicate_of(page.near_duplicate_of);
  if (page.due == refresh::PagePlan::kAtOnce)
    wire->set_due_at_once(true);
  else if (page.due != refresh::PagePlan::kNever)
    *wire->mutable_due() = WireTime(TimeAt(page.due));
  for (const std::string& text : page.publications) wire->add_publications(text);
  wire->set_change_rate(page.change_rate);
  wire->set_change_rate_deviation(page.change_rate_deviation);
  if (page.fetched_at != 0) *wire->mutable_fetched_at() = WireTime(TimeAt(page.fetched_at));
  wire->set_depth(page.depth);
  wire->set_cash(page.cash.units());
  wire->set_unanswered_by(page.unanswered_by);
}

node::PageImportance FromWire(const v1::PageImportance& wire) {
  node::PageImportance page;
  page.url = wire.url();
  page.known = wire.known();
  page.importance = wire.importance();
  page.relative = wire.relative();
  page.age = wire.age_supplies();
  page.state = WordOf(wire.state());
  page.visits = wire.visits();
  page.fetches = wire.fetches();
  page.links = wire.links();
  page.http_status = wire.http_status();
  page.failure = wire.failure();
  page.category = wire.category();
  page.left_out = wire.left_out();
  page.canonical = wire.canonical();
  page.duplicate_of = wire.duplicate_of();
  page.near_duplicate_of = wire.near_duplicate_of();
  if (wire.due_at_once())
    page.due = refresh::PagePlan::kAtOnce;
  else if (wire.has_due())
    page.due = SecondsOf(TimeOf(wire.due()));
  page.publications.assign(wire.publications().begin(), wire.publications().end());
  page.change_rate = wire.change_rate();
  page.change_rate_deviation = wire.change_rate_deviation();
  if (wire.has_fetched_at()) page.fetched_at = SecondsOf(TimeOf(wire.fetched_at()));
  page.depth = wire.depth();
  page.cash = cash::Amount(wire.cash());
  page.unanswered_by = wire.unanswered_by();
  return page;
}

void ToWire(const node::PageExplanation& explanation, v1::ExplainUrlResponse* wire) {
  ToWire(explanation.page, wire->mutable_page());
  if (explanation.host) ToWire(*explanation.host, wire->mutable_host());
  wire->set_host_unknown(explanation.host_unknown);
  wire->set_cash_factor(explanation.cash_factor);
  wire->set_interest_factor(explanation.interest_factor);
  if (explanation.trap == url::Trap::kNone) return;
  wire->set_trap(std::string(url::Name(explanation.trap)));
  wire->set_trap_certain(url::IsCertain(explanation.trap));
}

// The trap is what this program takes the URL for: a later release may have more names.
node::PageExplanation FromWire(const v1::ExplainUrlResponse& wire) {
  node::PageExplanation explanation = node::ExplanationOf(FromWire(wire.page()), absl::Now());
  if (wire.has_host()) explanation.host = FromWire(wire.host());
  explanation.host_unknown = wire.host_unknown();
  explanation.cash_factor = wire.cash_factor();
  explanation.interest_factor = wire.interest_factor();
  return explanation;
}

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
  for (node::Phase phase :
       {node::Phase::kCrawling, node::Phase::kSettling, node::Phase::kFinished}) {
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
