#include "cli/cluster_listing.h"

#include <fmt/core.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/counted.h"
#include "cli/exit_code.h"

namespace opic::cli {
namespace {

void PrintPart(const node::AuditPart& part, bool in_flight_known) {
  fmt::print(
      "  {:<12}  on pages {:>20} ({})  virtual page {:>20}  in flight {:>15}{}\n", part.node,
      cash::ToString(part.table), base::Counted(part.pages, "page"),
      cash::ToString(part.virtual_page),
      in_flight_known ? cash::ToString(part.in_flight) : "unknown",
      part.difference == 0 ? "" : "  ITS BOOKS DIFFER BY " + cash::ToString(part.difference));
}

}  // namespace

bool PrintMissing(const std::vector<std::string>& missing) {
  for (const std::string& name : missing) fmt::print("partial: node {} did not answer\n", name);
  return !missing.empty();
}

void PrintChannels(const node::LoopStats& loop) {
  for (const cluster::ChannelStatus& channel : loop.channels) {
    if (!channel.alarm.empty()) {
      fmt::print("    ALARM: the channel to {} is stopped: {}\n", channel.name, channel.alarm);
    } else if (!channel.connected) {
      fmt::print("    {} is not connected; {} ({} B) for it\n", channel.name,
                 base::Counted(channel.unacknowledged, "batch waits", "batches wait"),
                 channel.outbox_bytes);
    }
  }
  if (loop.outbox_full) fmt::print("    the outbox is full: fetching waits for the peers\n");
}

nlohmann::ordered_json ChannelsJson(const node::LoopStats& loop) {
  nlohmann::ordered_json channels = nlohmann::ordered_json::array();
  for (const cluster::ChannelStatus& channel : loop.channels) {
    channels.push_back({{"peer", channel.name},
                        {"connected", channel.connected},
                        {"alarm", channel.alarm},
                        {"unacknowledged", channel.unacknowledged},
                        {"outbox_bytes", channel.outbox_bytes},
                        {"batches_sent", channel.batches_sent},
                        {"batches_resent", channel.batches_resent},
                        {"batches_received", channel.batches_received},
                        {"batches_repeated", channel.batches_repeated}});
  }
  return channels;
}

// The clock is that of the whole cluster.
std::string PhaseWords(const node::NodeStats& stats) {
  if (stats.loop.pages == 0 && stats.loop.clock > 0)
    return "without pages: those of the crawl are on other nodes";
  if (stats.loop.pages == 0) return "nothing to crawl yet";
  return std::string(node::Name(stats.loop.phase));
}

std::string PausedWords(const node::NodeStats& stats) {
  if (stats.paused) return ", paused";
  std::vector<std::string> names;
  for (const node::NodeStats& node : stats.nodes) {
    if (node.paused) names.push_back(node.name);
  }
  return names.empty() ? "" : absl::StrCat(", paused on ", absl::StrJoin(names, ", "));
}

std::string ReleaseWords(const node::NodeStats& stats, const node::NodeStats& node) {
  if (!stats.release.empty() || stats.nodes.size() < 2) return "";
  return node.release.empty() ? "; of an earlier release" : absl::StrCat("; ", node.release);
}

void PrintNodes(const node::NodeStats& stats) {
  for (const node::NodeStats& node : stats.nodes) {
    fmt::print("  {:<12}  {:<9}  {}, {} unread, {} in flight, {}, {} settled{}{}\n", node.name,
               PhaseWords(node), base::Counted(node.loop.pages, "page"), node.loop.unread,
               node.in_flight, base::Counted(node.counters[desk::Counter::kRequests], "request"),
               node.counters[desk::Counter::kSettled], node.paused ? "; paused" : "",
               ReleaseWords(stats, node));
    PrintChannels(node.loop);
  }
}

void PrintAudit(const node::Audit& audit) {
  const std::string in_flight = audit.partial() ? "unknown" : cash::ToString(audit.in_flight);
  const std::string difference = audit.partial() ? "unknown" : cash::ToString(audit.difference());
  fmt::print(
      "expected      {:>22}\non pages      {:>22}  ({})\nvirtual page  {:>22}\nin flight   "
      "  {:>22}\n"
      "difference    {:>22}\n",
      cash::ToString(audit.expected), cash::ToString(audit.table),
      base::Counted(audit.pages, "page"), cash::ToString(audit.virtual_page), in_flight,
      difference);
  for (const node::AuditPart& part : audit.nodes) PrintPart(part, !audit.partial());
  PrintMissing(audit.missing);
}

nlohmann::ordered_json AuditJson(const node::Audit& audit) {
  nlohmann::ordered_json json = {{"cluster_id", std::to_string(audit.cluster_id)},
                                 {"log_number", audit.log_number},
                                 {"pages", audit.pages},
                                 {"unread", audit.unread},
                                 {"expected", cash::ToString(audit.expected)},
                                 {"table", cash::ToString(audit.table)},
                                 {"virtual_page", cash::ToString(audit.virtual_page)},
                                 {"in_flight", nullptr},
                                 {"difference", nullptr},
                                 {"clock", cash::ToString(audit.clock)}};
  if (!audit.partial()) {
    json["in_flight"] = cash::ToString(audit.in_flight);
    json["difference"] = cash::ToString(audit.difference());
  }
  if (audit.nodes.empty()) return json;
  json["epoch"] = audit.epoch;
  for (const node::AuditPart& part : audit.nodes) {
    nlohmann::ordered_json node = {{"node", part.node},
                                   {"log_number", part.log_number},
                                   {"pages", part.pages},
                                   {"unread", part.unread},
                                   {"table", cash::ToString(part.table)},
                                   {"virtual_page", cash::ToString(part.virtual_page)},
                                   {"in_flight", nullptr},
                                   {"difference", cash::ToString(part.difference)}};
    if (!audit.partial()) node["in_flight"] = cash::ToString(part.in_flight);
    json["nodes"].push_back(std::move(node));
  }
  json["missing_nodes"] = audit.missing;
  return json;
}

int ExitCodeOf(const node::Audit& audit) {
  const bool books_differ =
      std::any_of(audit.nodes.begin(), audit.nodes.end(),
                  [](const node::AuditPart& part) { return part.difference != 0; });
  if (books_differ) return kFailed;
  if (audit.partial()) return kPartial;
  return audit.difference() == 0 ? kOk : kFailed;
}

}  // namespace opic::cli
