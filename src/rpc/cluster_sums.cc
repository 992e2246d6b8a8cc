#include "rpc/cluster_sums.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/counted.h"
#include "base/status_macros.h"
#include "cluster/cut_sum.h"

namespace opic::rpc {
namespace {

// What the node holds, against what its own books say it must: genesis + received - sealed.
__int128 OwnDifference(const ledger::Cut& part) {
  cash::Sum due = part.genesis, held = part.table + part.virtual_page;
  for (const ledger::Cut::ChannelState& channel : part.channels) {
    due += channel.book.applied_cash + channel.book.closed_applied_cash;
    held += channel.book.sealed_cash + channel.book.closed_sealed_cash;
  }
  return static_cast<__int128>(held) - static_cast<__int128>(due);
}

uint64_t AppliedFrom(const ledger::Cut& receiver, NodeId sender) {
  for (const ledger::Cut::ChannelState& channel : receiver.channels) {
    if (channel.peer == sender) return channel.book.applied;
  }
  return 0;
}

// Sealed by node `from` and not applied at the other end.
cash::Sum InFlightFrom(NodeId from, absl::Span<const ledger::Cut> parts) {
  cash::Sum sum = 0;
  for (const ledger::Cut::ChannelState& channel : parts[from.value].channels) {
    const uint64_t applied = AppliedFrom(parts[channel.peer.value], from);
    for (const ledger::Retained& batch : channel.retained) {
      if (batch.sequence > applied) sum += batch.cash;
    }
  }
  return sum;
}

// OK if the part is of a cluster with the nodes of `map`.
absl::Status CheckMembers(const cluster::ShardMap& map, const cluster::MemberNode& node,
                          const ledger::Cut& part) {
  bool same = part.channels.size() + 1 == map.nodes().size();
  for (const ledger::Cut::ChannelState& channel : part.channels)
    same = same && channel.peer.value < map.nodes().size() && channel.peer != node.id;
  if (same) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat(
      "the audit cannot be made: ", node.name, " has another cluster file (of ",
      base::Counted(part.channels.size() + 1, "node", "nodes"), ") than the node that sums up (of ",
      map.nodes().size(), "); restart all nodes with the same file, and try again"));
}

node::AuditPart PartOf(const cluster::MemberNode& node, const ledger::Cut& cut) {
  node::AuditPart part;
  part.node = node.name;
  part.log_number = cut.log_number;
  part.pages = cut.pages;
  part.unread = cut.unread;
  part.table = cut.table;
  part.virtual_page = cut.virtual_page;
  part.difference = OwnDifference(cut);
  return part;
}

// The disk that is low first, or has the least above its mark.
void AddDisk(node::DiskState& sum, const node::DiskState& part) {
  const auto above = [](const node::DiskState& disk) {
    return static_cast<int64_t>(disk.free_bytes) - static_cast<int64_t>(disk.free_min);
  };
  if (part.free_min == 0) return;
  if (sum.free_min == 0 || part.low > sum.low || (part.low == sum.low && above(part) < above(sum)))
    sum = part;
}

void AddRefresh(node::RefreshStats& sum, const node::RefreshStats& part) {
  for (size_t c = 0; c < refresh::kCategories; ++c) {
    node::RefreshStats::OfCategory& category = sum.categories[c];
    const node::RefreshStats::OfCategory& of_part = part.categories[c];
    if (part.on) category.factor = of_part.factor;  // the same everywhere
    category.planned += of_part.planned;
    category.readings += of_part.readings;
  }
  sum.on |= part.on;
  sum.counting |= part.counting;
  sum.planned += part.planned;
  sum.fixed += part.fixed;
  sum.fixed_rate += part.fixed_rate;
  sum.publications = std::max(sum.publications, part.publications);  // all nodes have the same ones
  sum.due += part.due;
  sum.bandwidth += part.bandwidth;
  sum.borrowed += part.borrowed;
  sum.planned_rate += part.planned_rate;
}

}  // namespace

absl::Status CheckSameSize(const std::string& name, const node::NodeStats& stats, size_t nodes) {
  const size_t known = stats.loop.channels.size() + 1;
  if (known == nodes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the cluster file of ", name, " has ", base::Counted(known, "node"),
                   ", and the one in use here has ", nodes,
                   ": use the newest file, and restart with it each node that has an older one"));
}

void AddTo(node::NodeStats& sum, const node::NodeStats& part) {
  node::LoopStats& loop = sum.loop;
  loop.phase = sum.nodes.empty() ? part.loop.phase : std::min(loop.phase, part.loop.phase);
  loop.pages += part.loop.pages;
  loop.unread += part.loop.unread;
  loop.ordered += part.loop.ordered;
  loop.withheld += part.loop.withheld;
  for (size_t kind = 0; kind < loop.by_kind.size(); ++kind)
    loop.by_kind[kind] += part.loop.by_kind[kind];
  loop.epoch = std::max(loop.epoch, part.loop.epoch);
  loop.clock = std::max(loop.clock, part.loop.clock);
  loop.method = part.loop.method;
  loop.error_bound = std::max(loop.error_bound, part.loop.error_bound);
  loop.rounding_error = std::max(loop.rounding_error, part.loop.rounding_error);
  loop.settling =
      sum.nodes.empty() ? part.loop.settling : std::min(loop.settling, part.loop.settling);
  loop.virtual_share += part.loop.virtual_share;
  loop.table_bytes += part.loop.table_bytes;
  loop.cpu += part.loop.cpu;
  loop.longest_turn = std::max(loop.longest_turn, part.loop.longest_turn);
  loop.threshold = std::max(loop.threshold, part.loop.threshold);
  loop.outbox_full = loop.outbox_full || part.loop.outbox_full;
  if (part.loop.requests_per_s)
    loop.requests_per_s = loop.requests_per_s.value_or(0) + *part.loop.requests_per_s;
  AddDisk(loop.disk, part.loop.disk);
  loop.limit_reached = loop.limit_reached || part.loop.limit_reached;
  loop.restate_due = loop.restate_due || part.loop.restate_due;
  AddRefresh(loop.refresh, part.loop.refresh);
  sum.counters += part.counters;
  sum.scheduler_away = sum.scheduler_away || part.scheduler_away;
  if (part.without_network_since) {
    sum.without_network_since = std::min(sum.without_network_since.value_or(absl::InfiniteFuture()),
                                         *part.without_network_since);
  }
  sum.paused = part.paused && (sum.nodes.empty() || sum.paused);
  sum.in_flight += part.in_flight;
  sum.in_progress += part.in_progress;
  sum.fetch_cpu += part.fetch_cpu;
  sum.worker_cpu += part.worker_cpu;
  sum.recovery.records_replayed += part.recovery.records_replayed;
  sum.recovery_time = std::max(sum.recovery_time, part.recovery_time);
  sum.uptime = std::max(sum.uptime, part.uptime);
  if (sum.nodes.empty()) sum.release = part.release;
  if (sum.release != part.release) sum.release.clear();
  sum.memory_bytes_peak += part.memory_bytes_peak;
  sum.memory += part.memory;
  sum.nodes.push_back(part);
}

node::Answers::TopPages Merge(std::vector<node::Answers::TopPages> parts, size_t count) {
  node::Answers::TopPages all;
  for (node::Answers::TopPages& part : parts) {
    all.known += part.known;
    all.matching += part.matching;
    all.clock = std::max(all.clock, part.clock);
    all.error_bound = std::max(all.error_bound, part.error_bound);
    all.method = part.method;
    std::move(part.pages.begin(), part.pages.end(), std::back_inserter(all.pages));
  }
  std::stable_sort(all.pages.begin(), all.pages.end(),
                   [](const node::PageImportance& a, const node::PageImportance& b) {
                     return a.importance > b.importance;
                   });
  if (all.pages.size() > count) all.pages.resize(count);
  return all;
}

node::TopSites Merge(std::vector<node::TopSites> parts, size_t count, bool apart) {
  node::TopSites all;
  std::map<std::string, node::Site> sites;
  bool whole = true;
  for (const node::TopSites& part : parts) {
    all.known += part.known;
    whole &= part.known <= part.sites.size();
    all.pages += part.pages;
    all.clock = std::max(all.clock, part.clock);
    all.error_bound = std::max(all.error_bound, part.error_bound);
    all.method = part.method;
    for (const node::Site& site : part.sites) sites[site.name] += site;
    if (!apart && part.known > part.sites.size() && !part.sites.empty())
      all.importance_missed += part.sites.back().importance;
  }
  for (auto& [name, site] : sites) {
    site.name = name;
    all.sites.push_back(std::move(site));
  }
  if (whole) all.known = all.sites.size();  // a site of two nodes counts once
  std::sort(all.sites.begin(), all.sites.end(), node::IsBetter);
  if (all.sites.size() > count) all.sites.resize(count);
  return all;
}

absl::StatusOr<node::Audit> AuditOf(const cluster::ShardMap& map,
                                    absl::Span<const absl::StatusOr<ledger::Cut>> parts) {
  const ledger::Charter charter = map.CharterOf(NodeId{0});
  node::Audit audit;
  audit.cluster_id = charter.cluster_id;
  audit.expected = charter.supply.units();
  std::vector<ledger::Cut> cuts;
  for (const cluster::MemberNode& node : map.nodes()) {
    const absl::StatusOr<ledger::Cut>& cut = parts[node.id.value];
    if (!cut.ok()) {
      audit.missing.push_back(node.name);
      continue;
    }
    audit.epoch = cut->epoch;
    audit.pages += cut->pages;
    audit.unread += cut->unread;
    audit.table += cut->table;
    audit.virtual_page += cut->virtual_page;
    audit.clock += cut->clock;
    audit.nodes.push_back(PartOf(node, *cut));
    cuts.push_back(*cut);
  }
  if (audit.partial()) return audit;

  for (const cluster::MemberNode& node : map.nodes())
    RETURN_IF_ERROR(CheckMembers(map, node, cuts[node.id.value]));
  const cluster::CutSum sum = cluster::SumOf(cuts);
  if (sum.torn) {
    return absl::AbortedError(absl::StrCat(
        "the audit was torn between ", map.node(sum.torn->from).name, " and ",
        map.node(sum.torn->to).name, ": one of them was restarted in between; try again"));
  }
  audit.in_flight = sum.in_flight;
  for (const cluster::MemberNode& node : map.nodes())
    audit.nodes[node.id.value].in_flight = InFlightFrom(node.id, cuts);
  return audit;
}

}  // namespace opic::rpc
