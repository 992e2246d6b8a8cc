#include "node/metrics_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/metric.h"

namespace opic::node {
namespace {

using base::Metric;

// Those of one node, and all that answered of a cluster.
std::vector<const NodeStats*> NodesOf(const NodeStats& stats) {
  std::vector<const NodeStats*> nodes;
  for (const NodeStats& node : stats.nodes) nodes.push_back(&node);
  if (nodes.empty()) nodes.push_back(&stats);
  return nodes;
}

class Writer {
 public:
  Writer(const NodeStats& stats, bool at_rest)
      : stats_(stats), nodes_(NodesOf(stats)), at_rest_(at_rest) {}

  std::string Write() {
    Up();
    Counters();
    Crawl();
    Process();
    Channels();
    return std::move(out_);
  }

 private:
  using Value = std::function<double(const NodeStats&)>;

  void Gauge(std::string_view name, std::string_view help, const Value& value) {
    Metric metric(out_, fmt::format("opic_{}", name), "gauge", help);
    for (const NodeStats* node : nodes_) metric.Add({{"node", node->name}}, value(*node));
  }

  void Up() {
    Metric metric(out_, "opic_up", "gauge",
                  "1 if the crawler is running and answered, 0 of a folder at rest");
    for (const NodeStats* node : nodes_) metric.Add({{"node", node->name}}, at_rest_ ? 0 : 1);
    for (const std::string& name : stats_.missing) metric.Add({{"node", name}}, 0);
  }

  void Counters() {
    for (size_t i = 0; i < desk::kCounters; ++i) {
      std::string key(desk::kCounterKeys[i]);
      std::replace(key.begin(), key.end(), '.', '_');
      Metric metric(out_, fmt::format("opic_{}_total", key), "counter", desk::kCounterMeanings[i]);
      for (const NodeStats* node : nodes_) {
        metric.Add({{"node", node->name}},
                   static_cast<double>(node->counters[static_cast<desk::Counter>(i)]));
      }
    }
  }

  void Crawl() {
    Gauge("pages", "Known pages",
          [](const NodeStats& node) { return static_cast<double>(node.loop.pages); });
    Gauge("pages_unread", "Known pages that were never visited",
          [](const NodeStats& node) { return static_cast<double>(node.loop.unread); });
    Gauge("pages_withheld",
          "Unread pages on hosts that an operator has blocked, or that are past their budgets",
          [](const NodeStats& node) { return static_cast<double>(node.loop.withheld); });
    Metric pages(out_, "opic_pages_visited", "gauge", "Pages by the outcome of their last visit");
    for (const NodeStats* node : nodes_) {
      for (int kind = 0; kind < ledger::kVisitKinds; ++kind) {
        const std::string state(ledger::Name(static_cast<ledger::VisitKind>(kind)));
        pages.Add({{"node", node->name}, {"state", state}},
                  static_cast<double>(node->loop.by_kind[static_cast<size_t>(kind)]));
      }
    }
    Metric phase(out_, "opic_phase", "gauge", "1 for the present phase of the crawl");
    for (const NodeStats* node : nodes_) {
      for (const Phase each : kPhases) {
        phase.Add({{"node", node->name}, {"phase", std::string(Name(each))}},
                  each == node->loop.phase ? 1 : 0);
      }
    }
    Gauge("error_bound_ratio", "Bound of the error of all estimates added up, as share of 1",
          [](const NodeStats& node) { return node.loop.error_bound; });
    Gauge("rounding_error_ratio", "Error expected of rounding besides, as share of 1",
          [](const NodeStats& node) { return node.loop.rounding_error; });
    Gauge("settling_ratio", "How much of settling is done",
          [](const NodeStats& node) { return node.loop.settling; });
    Gauge("refresh_pages", "Pages that are to be read again",
          [](const NodeStats& node) { return static_cast<double>(node.loop.refresh.planned); });
    Gauge("refresh_due_pages", "Of those, due and not asked for yet",
          [](const NodeStats& node) { return static_cast<double>(node.loop.refresh.due); });
    Gauge("refresh_bandwidth_pages_per_second", "Fetches for them",
          [](const NodeStats& node) { return node.loop.refresh.bandwidth; });
    Gauge("paused", "1 while an operator holds the fetches",
          [](const NodeStats& node) { return node.paused ? 1 : 0; });
    Gauge("without_network", "1 while it has lost its network",
          [](const NodeStats& node) { return node.without_network_since ? 1 : 0; });
    Gauge("scheduler_away", "1 while its Page Scheduler does not answer",
          [](const NodeStats& node) { return node.scheduler_away ? 1 : 0; });
    Gauge("outbox_full", "1 while fetching waits for peers that do not answer",
          [](const NodeStats& node) { return node.loop.outbox_full ? 1 : 0; });
    Gauge("disk_low", "1 while fetching waits for room on the disk of the data folder",
          [](const NodeStats& node) { return node.loop.disk.low ? 1 : 0; });
    Gauge("disk_free_bytes", "Free on the disk of the data folder; 0: nobody looks",
          [](const NodeStats& node) { return static_cast<double>(node.loop.disk.free_bytes); });
    Gauge("disk_free_min_bytes", "--disk-free-min; 0: nobody looks",
          [](const NodeStats& node) { return static_cast<double>(node.loop.disk.free_min); });
    Gauge("limit_reached", "1 when a limit of pages, bytes or time was reached",
          [](const NodeStats& node) { return node.loop.limit_reached ? 1 : 0; });
    Gauge("restate_due", "1 while the cluster has to be recovered after a loss",
          [](const NodeStats& node) { return node.loop.restate_due ? 1 : 0; });
  }

  void Process() {
    Gauge("requests_in_flight", "Requests under way",
          [](const NodeStats& node) { return static_cast<double>(node.in_flight); });
    Gauge("pages_in_progress", "Pages being fetched, or whose visit is not recorded yet",
          [](const NodeStats& node) { return static_cast<double>(node.in_progress); });
    Gauge("page_table_bytes", "Memory of the page table",
          [](const NodeStats& node) { return static_cast<double>(node.loop.table_bytes); });
    Gauge("memory_peak_bytes", "Largest memory of the process so far",
          [](const NodeStats& node) { return static_cast<double>(node.memory_bytes_peak); });
    Memory();
    Gauge("uptime_seconds", "Time since the node began",
          [](const NodeStats& node) { return absl::ToDoubleSeconds(node.uptime); });
    Gauge("longest_turn_seconds", "Longest turn of the ledger's thread so far",
          [](const NodeStats& node) { return absl::ToDoubleSeconds(node.loop.longest_turn); });
    Metric cpu(out_, "opic_cpu_seconds_total", "counter", "Processor time of the threads");
    for (const NodeStats* node : nodes_) {
      const std::pair<const char*, absl::Duration> parts[] = {
          {"fetch", node->fetch_cpu}, {"parse", node->worker_cpu}, {"ledger", node->loop.cpu}};
      for (const auto& [part, time] : parts)
        cpu.Add({{"node", node->name}, {"part", part}}, absl::ToDoubleSeconds(time));
    }
  }

  void Memory() {
    Gauge("memory_limit_bytes", "--memory, for caches, queues and buffers",
          [](const NodeStats& node) { return static_cast<double>(node.memory.limit); });
    const auto write = [this](const std::string& name, std::string_view help,
                              uint64_t MemoryUse::*field) {
      Metric metric(out_, name, "gauge", help);
      for (const NodeStats* node : nodes_) {
        for (size_t i = 0; i < kMemoryParts; ++i) {
          metric.Add({{"node", node->name}, {"part", std::string(kMemoryPartKeys[i])}},
                     static_cast<double>(node->memory.parts[i].*field));
        }
      }
    };
    write("opic_memory_part_bytes", "Bytes in use, of a part of --memory", &MemoryUse::bytes);
    write("opic_memory_part_limit_bytes", "Most bytes that this part of --memory may use",
          &MemoryUse::limit);
  }

  void Channel(std::string_view name, std::string_view type, std::string_view help,
               const std::function<double(const cluster::ChannelStatus&)>& value) {
    Metric metric(out_, fmt::format("opic_channel_{}", name), type, help);
    for (const NodeStats* node : nodes_) {
      for (const cluster::ChannelStatus& channel : node->loop.channels)
        metric.Add({{"node", node->name}, {"peer", channel.name}}, value(channel));
    }
  }

  void Channels() {
    const bool any = std::any_of(nodes_.begin(), nodes_.end(), [](const NodeStats* node) {
      return !node->loop.channels.empty();
    });
    if (!any) return;
    using Status = cluster::ChannelStatus;
    Channel("connected", "gauge", "1 while a session with the peer is open",
            [](const Status& channel) { return channel.connected ? 1 : 0; });
    Channel("stopped", "gauge", "1 if the channel is stopped by an alarm",
            [](const Status& channel) { return channel.alarm.empty() ? 0 : 1; });
    Channel("unacknowledged_batches", "gauge", "Sealed batches that the peer has not acknowledged",
            [](const Status& channel) { return static_cast<double>(channel.unacknowledged); });
    Channel("outbox_bytes", "gauge", "Bytes of these batches",
            [](const Status& channel) { return static_cast<double>(channel.outbox_bytes); });
    Channel("batches_sent_total", "counter", "Batches sent, repeated ones too",
            [](const Status& channel) { return static_cast<double>(channel.batches_sent); });
    Channel("batches_received_total", "counter", "Batches received, repeated ones too",
            [](const Status& channel) { return static_cast<double>(channel.batches_received); });
  }

  const NodeStats& stats_;
  const std::vector<const NodeStats*> nodes_;
  const bool at_rest_;
  std::string out_;
};

}  // namespace

std::string MetricsText(const NodeStats& stats, bool at_rest) {
  return Writer(stats, at_rest).Write();
}

}  // namespace opic::node
