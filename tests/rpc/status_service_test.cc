// What a node tells of itself over a real socket, also to and from programs of the release before.
#include <grpcpp/grpcpp.h>

#include "absl/strings/str_cat.h"
#include "opic/v1/control.grpc.pb.h"
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

// A node of the release before, which knows the flat status alone.
class OlderControl final : public v1::Control::Service {
  grpc::Status Status(grpc::ServerContext*, const v1::StatusRequest* request,
                      v1::StatusResponse* reply) override {
    reply->set_pages(request->local_only() ? 7 : 20);
    return grpc::Status::OK;
  }
};

TEST_F(StatusServiceTest, ANodeOfTheReleaseBeforeIsAskedInItsWay) {
  OlderControl control;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&control);
  const std::unique_ptr<grpc::Server> older = builder.BuildAndStart();
  NodeClientOptions options;
  options.patience = absl::Seconds(20);
  options.local_only = true;
  const auto stats = NodeClient::To(absl::StrCat("127.0.0.1:", port), options)->Stats();
  ASSERT_TRUE(stats.ok()) << stats.status();
  EXPECT_EQ(stats->loop.pages, 7u);
}

TEST_F(StatusServiceTest, AProgramOfTheReleaseBeforeIsAnsweredInItsWay) {
  node_.stats_.loop.pages = 40;
  node_.stats_.loop.epoch = 12;
  grpc::ClientContext context;
  v1::StatusResponse reply;
  ASSERT_TRUE(v1::Control::NewStub(Channel())->Status(&context, {}, &reply).ok());
  EXPECT_EQ(reply.pages(), 40u);
  EXPECT_EQ(reply.epoch(), 12u);
  EXPECT_EQ(reply.calls_bytes_max(), kCallsBytesMax);
}

}  // namespace
}  // namespace opic::rpc
