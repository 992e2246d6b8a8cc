// What a node is doing, in groups.
#include "rpc/status_wire.h"

#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "rpc/time_wire.h"

namespace opic::rpc {
namespace {

node::NodeStats Busy() {
  node::NodeStats stats;
  stats.name = "n1";
  stats.loop.phase = node::Phase::kSettling;
  stats.loop.pages = 40;
  stats.loop.unread = 5;
  stats.loop.ordered = 4;
  stats.loop.withheld = 3;
  stats.loop.by_kind = {7, 8, 9, 6, 10, 11, 12};
  stats.in_flight = 2;
  stats.in_progress = 3;
  stats.paused = true;
  stats.scheduler_away = true;
  stats.without_network_since = absl::FromUnixMillis(7);
  stats.loop.limit_reached = true;
  stats.loop.method = importance::Method::kWindow;
  stats.loop.error_bound = 0.25;
  stats.loop.rounding_error = 0.125;
  stats.loop.settling = 0.5;
  stats.loop.clock = 1.75;
  stats.loop.restate_due = true;
  stats.loop.epoch = 12;
  stats.loop.log_number = 13;
  stats.recovery.records_replayed = 14;
  stats.recovery_time = absl::Milliseconds(4);
  stats.loop.longest_turn = absl::Microseconds(5);
  stats.loop.virtual_share = 0.375;
  stats.loop.threshold = 15;
  stats.loop.table_bytes = 16;
  stats.loop.channels.resize(1);
  stats.loop.channels[0].alarm = "its sums differ";
  stats.loop.channels[0].heard = absl::FromUnixSeconds(17);
  stats.loop.outbox_full = true;
  stats.loop.disk = {true, 8, 9, 10};
  stats.loop.requests_per_s = 1.5;
  stats.loop.refresh.on = true;
  stats.loop.refresh.planned = 18;
  stats.uptime = absl::Hours(6);
  stats.fetch_cpu = absl::Seconds(1);
  stats.worker_cpu = absl::Seconds(2);
  stats.loop.cpu = absl::Seconds(3);
  stats.memory_bytes_peak = 19;
  stats.memory.limit = 20;
  stats.memory.parts[0] = {21, 22, 23};
  stats.calls_bytes_max = 24;
  stats.release = "0.1, commit 25";
  stats.counters[desk::Counter::kRequests] = 33;
  return stats;
}

node::NodeStats Carried(const node::NodeStats& stats) {
  v1::GetStatusResponse wire;
  ToWire(stats, &wire);
  return FromWire(wire);
}

void ExpectBusy(const node::NodeStats& read) {
  const node::NodeStats stats = Busy();
  EXPECT_EQ(read.name, stats.name);
  EXPECT_EQ(read.loop.phase, stats.loop.phase);
  EXPECT_EQ(read.loop.pages, stats.loop.pages);
  EXPECT_EQ(read.loop.unread, stats.loop.unread);
  EXPECT_EQ(read.loop.ordered, stats.loop.ordered);
  EXPECT_EQ(read.loop.withheld, stats.loop.withheld);
  EXPECT_EQ(read.loop.by_kind, stats.loop.by_kind);
  EXPECT_EQ(read.in_flight, stats.in_flight);
  EXPECT_EQ(read.in_progress, stats.in_progress);
  EXPECT_EQ(read.paused, stats.paused);
  EXPECT_EQ(read.scheduler_away, stats.scheduler_away);
  EXPECT_EQ(read.without_network_since, stats.without_network_since);
  EXPECT_EQ(read.loop.limit_reached, stats.loop.limit_reached);
  EXPECT_EQ(read.loop.method, stats.loop.method);
  EXPECT_EQ(read.loop.error_bound, stats.loop.error_bound);
  EXPECT_EQ(read.loop.rounding_error, stats.loop.rounding_error);
  EXPECT_EQ(read.loop.settling, stats.loop.settling);
  EXPECT_EQ(read.loop.clock, stats.loop.clock);
  EXPECT_EQ(read.loop.restate_due, stats.loop.restate_due);
  EXPECT_EQ(read.loop.epoch, stats.loop.epoch);
  EXPECT_EQ(read.loop.log_number, stats.loop.log_number);
  EXPECT_EQ(read.recovery.records_replayed, stats.recovery.records_replayed);
  EXPECT_EQ(read.recovery_time, stats.recovery_time);
  EXPECT_EQ(read.loop.longest_turn, stats.loop.longest_turn);
  EXPECT_EQ(read.loop.virtual_share, stats.loop.virtual_share);
  EXPECT_EQ(read.loop.threshold, stats.loop.threshold);
  EXPECT_EQ(read.loop.table_bytes, stats.loop.table_bytes);
  ASSERT_EQ(read.loop.channels.size(), 1u);
  EXPECT_EQ(read.loop.channels[0].alarm, stats.loop.channels[0].alarm);
  EXPECT_EQ(read.loop.channels[0].heard, stats.loop.channels[0].heard);
  EXPECT_EQ(read.loop.outbox_full, stats.loop.outbox_full);
  EXPECT_EQ(read.loop.disk, stats.loop.disk);
  EXPECT_EQ(read.loop.requests_per_s, stats.loop.requests_per_s);
  EXPECT_EQ(read.loop.refresh.on, stats.loop.refresh.on);
  EXPECT_EQ(read.loop.refresh.planned, stats.loop.refresh.planned);
  EXPECT_EQ(read.uptime, stats.uptime);
  EXPECT_EQ(read.fetch_cpu, stats.fetch_cpu);
  EXPECT_EQ(read.worker_cpu, stats.worker_cpu);
  EXPECT_EQ(read.loop.cpu, stats.loop.cpu);
  EXPECT_EQ(read.memory_bytes_peak, stats.memory_bytes_peak);
  EXPECT_EQ(read.memory.limit, stats.memory.limit);
  EXPECT_EQ(read.memory.parts[0].bytes, stats.memory.parts[0].bytes);
  EXPECT_EQ(read.memory.parts[0].limit, stats.memory.parts[0].limit);
  EXPECT_EQ(read.memory.parts[0].peak, stats.memory.parts[0].peak);
  EXPECT_EQ(read.calls_bytes_max, stats.calls_bytes_max);
  EXPECT_EQ(read.counters[desk::Counter::kRequests], 33u);
}

TEST(StatusWireTest, EverythingComesThrough) { ExpectBusy(Carried(Busy())); }

TEST(StatusWireTest, ItIsToldInGroups) {
  v1::GetStatusResponse wire;
  ToWire(Busy(), &wire);
  const v1::NodeStatus& total = wire.total();
  EXPECT_EQ(total.crawl().phase(), v1::CRAWL_PHASE_SETTLING);
  EXPECT_EQ(total.crawl().visited().gone(), 6u);
  EXPECT_EQ(total.ranking().method(), v1::RANKING_METHOD_WINDOW);
  EXPECT_EQ(total.process().uptime().seconds(), 6 * 3600);
  EXPECT_EQ(total.process().release(), "0.1, commit 25");
  EXPECT_EQ(total.counters().at("requests"), 33u);
}

TEST(StatusWireTest, WhatThereIsNotIsAbsent) {
  v1::GetStatusResponse wire;
  ToWire(node::NodeStats(), &wire);
  EXPECT_FALSE(wire.total().has_refresh());
  EXPECT_FALSE(wire.total().has_peers());
  EXPECT_FALSE(wire.total().has_disk());
  EXPECT_FALSE(wire.total().fetch().has_requests_per_s());
  EXPECT_FALSE(wire.total().fetch().has_without_network_since());
}

TEST(StatusWireTest, NodesOfAClusterAreToldOneByOne) {
  node::NodeStats cluster;
  cluster.loop.pages = 50;
  cluster.nodes = {Busy()};
  cluster.missing = {"n2"};
  const node::NodeStats read = Carried(cluster);
  EXPECT_EQ(read.loop.pages, 50u);
  ASSERT_EQ(read.nodes.size(), 1u);
  ExpectBusy(read.nodes[0]);
  EXPECT_EQ(read.missing, cluster.missing);
}

// It does not tell when it has heard its peer; but that it has is certain.
TEST(StatusWireTest, APeerOfAnOlderNodeIsNotTakenForSilent) {
  v1::ChannelStatus silent, connected;
  connected.set_connected(true);
  const absl::Time before = absl::Now();
  EXPECT_GE(FromWire(connected).heard, before);
  EXPECT_EQ(FromWire(silent).heard, absl::UnixEpoch());
  *connected.mutable_heard() = WireTime(absl::FromUnixSeconds(1'700'000'000));
  EXPECT_EQ(FromWire(connected).heard, absl::FromUnixSeconds(1'700'000'000));
}

}  // namespace
}  // namespace opic::rpc
