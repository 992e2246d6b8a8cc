// What a node tells of itself over a real socket.
#include "rpc/limits.h"
#include "tests/rpc/served_node.h"

namespace opic::rpc {
namespace {

using StatusServiceTest = ServedNodeTest;

TEST_F(StatusServiceTest, ItTellsWhatCallsMayTake) {
  EXPECT_EQ(client_->Stats()->calls_bytes_max, kCallsBytesMax);
}

TEST_F(StatusServiceTest, ItTellsPhaseAndStates) {
  node_.stats_.loop.phase = node::Phase::kSettling;
  node_.stats_.loop.pages = 40;
  node_.stats_.loop.by_kind[static_cast<int>(ledger::VisitKind::kGone)] = 6;
  node_.stats_.counters[desk::Counter::kRequests] = 33;
  node_.stats_.fetch_cpu = absl::Milliseconds(12);
  node_.stats_.in_flight = 3;
  node_.stats_.in_progress = 5;
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->loop.phase, node::Phase::kSettling);
  EXPECT_EQ(stats->loop.pages, 40u);
  EXPECT_EQ(stats->loop.by_kind[static_cast<int>(ledger::VisitKind::kGone)], 6u);
  EXPECT_EQ(stats->counters[desk::Counter::kRequests], 33u);
  EXPECT_EQ(stats->fetch_cpu, absl::Milliseconds(12));
  EXPECT_EQ(stats->in_flight, 3u);
  EXPECT_EQ(stats->in_progress, 5u);
}

TEST_F(StatusServiceTest, EveryCounterIsReported) {
  uint64_t next = 1'000'000;
  node_.stats_.counters.ForEach([&next](std::string_view, uint64_t& count) { count = next++; });
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  uint64_t expected = 1'000'000;
  stats->counters.ForEach(
      [&expected](std::string_view key, uint64_t count) { EXPECT_EQ(count, expected++) << key; });
}

TEST_F(StatusServiceTest, ItTellsSinceWhenThereIsNoNetwork) {
  EXPECT_EQ(client_->Stats()->without_network_since, std::nullopt);
  node_.stats_.without_network_since = absl::FromUnixSeconds(1'700'000'000);
  EXPECT_EQ(client_->Stats()->without_network_since, node_.stats_.without_network_since);
}

// An alarm that nobody sees helps nobody.
TEST_F(StatusServiceTest, ItTellsTheChannelsToThePeers) {
  cluster::ChannelStatus channel;
  channel.peer = NodeId{3};
  channel.name = "node3";
  channel.alarm = "its sums differ";
  channel.unacknowledged = 5;
  channel.outbox_bytes = 600;
  node_.stats_.loop.channels.push_back(channel);
  node_.stats_.loop.outbox_full = true;
  const auto stats = client_->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_TRUE(stats->loop.outbox_full);
  ASSERT_EQ(stats->loop.channels.size(), 1u);
  EXPECT_EQ(stats->loop.channels[0].peer, NodeId{3});
  EXPECT_EQ(stats->loop.channels[0].name, "node3");
  EXPECT_EQ(stats->loop.channels[0].alarm, "its sums differ");
  EXPECT_FALSE(stats->loop.channels[0].connected);
  EXPECT_EQ(stats->loop.channels[0].unacknowledged, 5u);
  EXPECT_EQ(stats->loop.channels[0].outbox_bytes, 600u);
}

}  // namespace
}  // namespace opic::rpc
