#include "cli/status_json.h"

#include "cli/cluster_listing.h"

namespace opic::cli {

using Json = nlohmann::ordered_json;

Json StatusJson(const node::NodeStats& stats) {
  Json json = {{"phase", std::string(node::Name(stats.loop.phase))},
               {"pages", stats.loop.pages},
               {"unread", stats.loop.unread},
               {"ordered", stats.loop.ordered},
               {"withheld", stats.loop.withheld},
               {"in_flight", stats.in_flight},
               {"in_progress", stats.in_progress}};
  for (int kind = 0; kind < ledger::kVisitKinds; ++kind) {
    json["by_state"][std::string(ledger::Name(static_cast<ledger::VisitKind>(kind)))] =
        stats.loop.by_kind[static_cast<size_t>(kind)];
  }
  json["clock_supplies"] = stats.loop.clock;
  json["importance"] = importance::Name(stats.loop.method);
  json["error_bound"] = stats.loop.error_bound;
  json["rounding_error"] = stats.loop.rounding_error;
  json["settling"] = stats.loop.settling;
  json["restate_due"] = stats.loop.restate_due;
  json["virtual_share"] = stats.loop.virtual_share;
  json["log_number"] = stats.loop.log_number;
  stats.counters.ForEach([&json](std::string_view key, uint64_t count) {
    const size_t dot = key.find('.');
    if (dot == key.npos) {
      json[std::string(key)] = count;
    } else {
      json[std::string(key.substr(0, dot))][std::string(key.substr(dot + 1))] = count;
    }
  });
  if (const node::RefreshStats& refresh = stats.loop.refresh; refresh.on) {
    json["refresh"].update({{"counting", refresh.counting},
                            {"planned", refresh.planned},
                            {"due", refresh.due},
                            {"pages_per_s", refresh.bandwidth},
                            {"borrowed_per_s", refresh.borrowed},
                            {"planned_per_s", refresh.planned_rate},
                            {"fixed", refresh.fixed},
                            {"fixed_per_s", refresh.fixed_rate},
                            {"publications", refresh.publications}});
    for (size_t c = 0; c < refresh::kCategories; ++c) {
      const node::RefreshStats::OfCategory& category = refresh.categories[c];
      json["refresh"]["categories"][refresh::NameOf(static_cast<refresh::Category>(c))] = {
          {"factor", category.factor},
          {"planned", category.planned},
          {"readings", category.readings}};
    }
  }
  json["threshold"] = stats.loop.threshold;
  json["limit_reached"] = stats.loop.limit_reached;
  json["table_bytes"] = stats.loop.table_bytes;
  json["cpu_seconds"] = {{"fetch", absl::ToDoubleSeconds(stats.fetch_cpu)},
                         {"parse", absl::ToDoubleSeconds(stats.worker_cpu)},
                         {"ledger", absl::ToDoubleSeconds(stats.loop.cpu)}};
  if (!stats.loop.channels.empty()) {
    json["channels"] = ChannelsJson(stats.loop);
    json["outbox_full"] = stats.loop.outbox_full;
  }
  if (stats.loop.requests_per_s) json["requests_per_s"] = *stats.loop.requests_per_s;
  if (const node::DiskState& disk = stats.loop.disk; disk.free_min > 0) {
    json["disk"] = {{"low", disk.low},
                    {"free_bytes", disk.free_bytes},
                    {"free_min_bytes", disk.free_min},
                    {"free_enough_bytes", disk.free_enough}};
  }
  json["scheduler_away"] = stats.scheduler_away;
  json["paused"] = stats.paused;
  json["without_network"] = stats.without_network_since.has_value();
  if (stats.without_network_since)
    json["without_network_since"] = absl::ToUnixSeconds(*stats.without_network_since);
  json["release"] = stats.release;
  json["uptime_seconds"] = absl::ToDoubleSeconds(stats.uptime);
  json["memory_bytes_peak"] = stats.memory_bytes_peak;
  if (stats.memory.limit > 0) {
    json["memory"]["limit"] = stats.memory.limit;
    for (size_t i = 0; i < node::kMemoryParts; ++i) {
      const node::MemoryUse& use = stats.memory.parts[i];
      json["memory"][std::string(node::kMemoryPartKeys[i])] = {
          {"bytes", use.bytes}, {"peak", use.peak}, {"limit", use.limit}};
    }
  }
  if (stats.calls_bytes_max > 0) json["calls_bytes_max"] = stats.calls_bytes_max;
  json["recovery_seconds"] = absl::ToDoubleSeconds(stats.recovery_time);
  json["records_replayed"] = stats.recovery.records_replayed;
  json["longest_turn_ms"] = absl::ToDoubleMilliseconds(stats.loop.longest_turn);
  return json;
}

}  // namespace opic::cli
