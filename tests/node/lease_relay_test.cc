// Messages about hosts on loan find their way between schedulers, and robots.txt with them.
#include "node/lease_relay.h"

#include <gtest/gtest.h>

#include <deque>

#include "tests/support/memory_store.h"

namespace opic::node {
namespace {

using schedule::LeaseMessage;

class RecordingLink final : public desk::SchedulerLink {
 public:
  void Send(schedule::ToScheduler message) override {
    messages.push_back(std::get<LeaseMessage>(std::move(message)));
  }
  std::vector<LeaseMessage> messages;
};

class RecordingTransport final : public cluster::Transport {
 public:
  void Send(NodeId to, cluster::Message message) override {
    messages.emplace_back(to, std::get<LeaseMessage>(std::move(message)));
  }
  void Disconnect(NodeId) override {}
  std::vector<std::pair<NodeId, LeaseMessage>> messages;
};

// One node with its relay; `host(n)` has its home at node n.
class OneNode {
 public:
  explicit OneNode(uint16_t number)
      : relay({NodeId{number}, 99, 1000 + uint64_t{number}}, hash, robots, link, transport, clock) {
    std::vector<std::optional<NodeId>> homes;
    for (uint16_t shard = 0; shard < 8; ++shard) homes.push_back(NodeId{shard});
    relay.SetHomes(homes);
  }
  void Learn(const std::string& host, const std::string& rules) {
    fetch::Response response;
    response.status = 200;
    response.body = rules;
    const url::Url page = *url::Parse("http://" + host + "/");
    const url::Url asked = *url::Parse("http://" + host + "/robots.txt");
    EXPECT_TRUE(robots.Answered(page, asked, response, clock.Now()).ok());
  }
  bool Knows(const std::string& host) {
    return robots.Lookup(*url::Parse("http://" + host + "/"), clock.Now())->rules != nullptr;
  }

  url::UrlHash hash{url::ShardBy::kUrl, 8};
  std::unique_ptr<store::Store> store = NewMemoryStore();
  desk::RobotsCache robots{{}, *store};
  RecordingLink link;
  RecordingTransport transport;
  base::ManualClock clock{absl::FromUnixSeconds(1'700'000'000)};
  LeaseRelay relay;
};

std::string HostAt(uint16_t home) {
  const url::UrlHash hash(url::ShardBy::kUrl, 8);
  for (int i = 0;; ++i) {
    const std::string name = "h" + std::to_string(i) + ".test";
    if (hash.ShardOfHost(name).value == home) return name;
  }
}

LeaseMessage RequestsFor(std::vector<std::string> hosts) {
  LeaseMessage message;
  message.sent = absl::FromUnixSeconds(5);
  message.requests = std::move(hosts);
  return message;
}

LeaseMessage LeaseOf(const std::string& host, NodeId to) {
  LeaseMessage message;
  message.peer = to;
  message.leases = {{.host = host, .id = 1}};
  return message;
}

TEST(LeaseRelayTest, EachRequestGoesToTheHomeOfItsHost) {
  OneNode node(0);
  node.relay.FromScheduler(RequestsFor({HostAt(0), HostAt(1), HostAt(2)}));
  ASSERT_EQ(node.link.messages.size(), 1u);
  EXPECT_EQ(node.link.messages[0].peer, NodeId{0});
  EXPECT_EQ(node.link.messages[0].requests, std::vector<std::string>{HostAt(0)});
  ASSERT_EQ(node.transport.messages.size(), 2u);
  for (const auto& [to, message] : node.transport.messages) {
    EXPECT_EQ(message.requests, std::vector<std::string>{HostAt(to.value)});
    EXPECT_EQ(message.sent, absl::FromUnixSeconds(5)) << "the term of a lease runs from then on";
    EXPECT_EQ(message.process, 1000u);
    EXPECT_EQ(message.cluster_id, 99u);
  }
}

TEST(LeaseRelayTest, AHostWithoutAHomeWaits) {
  OneNode node(0);
  node.relay.SetHomes(std::vector<std::optional<NodeId>>(8));
  node.relay.FromScheduler(RequestsFor({HostAt(0), HostAt(1)}));
  EXPECT_TRUE(node.link.messages.empty());
  EXPECT_TRUE(node.transport.messages.empty());
}

// A peer that knows an older placement: only the home may lend.
TEST(LeaseRelayTest, ARequestThatWentAstrayIsDropped) {
  OneNode node(1);
  LeaseMessage message = RequestsFor({HostAt(1), HostAt(2)});
  message.cluster_id = 99;
  message.process = 7;
  node.relay.FromPeer(NodeId{0}, message);
  ASSERT_EQ(node.link.messages.size(), 1u);
  EXPECT_EQ(node.link.messages[0].requests, std::vector<std::string>{HostAt(1)});
  EXPECT_EQ(node.link.messages[0].peer, NodeId{0});
}

TEST(LeaseRelayTest, AnotherClustersMessageIsDropped) {
  OneNode node(1);
  LeaseMessage message = RequestsFor({HostAt(1)});
  message.cluster_id = 98;
  message.process = 7;
  node.relay.FromPeer(NodeId{0}, message);
  EXPECT_TRUE(node.link.messages.empty());
}

TEST(LeaseRelayTest, TheVerdictsTravelWithTheHostOnce) {
  OneNode home(0), holder(1);
  home.Learn("a.test", "User-agent: *\nDisallow: /private");
  home.relay.FromScheduler(LeaseOf("a.test", NodeId{1}));
  holder.relay.FromPeer(NodeId{0}, home.transport.messages[0].second);
  EXPECT_TRUE(holder.Knows("a.test"));
  ASSERT_EQ(holder.link.messages.size(), 1u);
  EXPECT_EQ(holder.link.messages[0].leases[0].robots, "") << "the scheduler has no use for it";

  home.relay.FromScheduler(LeaseOf("a.test", NodeId{1}));
  EXPECT_EQ(home.transport.messages[1].second.leases[0].robots, "");
  LeaseMessage back;
  back.peer = NodeId{0};
  back.returns = {{.host = "a.test", .id = 1}};
  holder.relay.FromScheduler(back);
  EXPECT_EQ(holder.transport.messages[0].second.returns[0].robots, "") << "the home told it";
}

TEST(LeaseRelayTest, AVerdictLearntOnLoanComesHome) {
  OneNode home(0), holder(1);
  holder.Learn("a.test", "User-agent: *\nDisallow: /private");
  LeaseMessage back;
  back.peer = NodeId{0};
  back.returns = {{.host = "a.test", .id = 1}};
  holder.relay.FromScheduler(back);
  home.relay.FromPeer(NodeId{1}, holder.transport.messages[0].second);
  EXPECT_TRUE(home.Knows("a.test"));
}

// What was sent in a session that has ended may not have arrived.
TEST(LeaseRelayTest, ANewSessionIsToldTheProcessAndTheVerdictsAnew) {
  OneNode home(0);
  home.Learn("a.test", "User-agent: *\nDisallow: /private");
  home.relay.FromScheduler(LeaseOf("a.test", NodeId{1}));
  home.relay.OnConnected(NodeId{1});
  EXPECT_EQ(home.transport.messages[1].second.process, 1000u);
  home.relay.FromScheduler(LeaseOf("a.test", NodeId{1}));
  EXPECT_NE(home.transport.messages[2].second.leases[0].robots, "");
}

// Within a session, too: one that is behind drops messages about leases (rpc/peer_session.h). The
// holder then asked for the robots.txt itself, for as long as the session lasted.
TEST(LeaseRelayTest, WhatWasToldIsToldAgainAfterAWhile) {
  OneNode home(0), holder(1);
  home.Learn("a.test", "User-agent: *\nDisallow: /private");
  const auto lend = [&] {
    home.relay.FromScheduler(LeaseOf("a.test", NodeId{1}));
    return home.transport.messages.back().second;
  };
  EXPECT_NE(lend().leases[0].robots, "") << "and is lost on the way";
  home.clock.Advance(absl::Seconds(59));
  EXPECT_EQ(lend().leases[0].robots, "");
  home.clock.Advance(absl::Seconds(2));
  holder.relay.FromPeer(NodeId{0}, lend());
  EXPECT_TRUE(holder.Knows("a.test"));
  EXPECT_EQ(lend().leases[0].robots, "");
}

TEST(LeaseRelayTest, AHostIsAskedOnlyWhileItsLeaseLasts) {
  OneNode node(0);
  EXPECT_FALSE(node.relay.MayAsk(HostAt(1)));
  node.relay.FromScheduler(RequestsFor({HostAt(1)}));
  LeaseMessage message;
  message.cluster_id = 99;
  message.process = 7;
  message.leases = {{.host = HostAt(1),
                     .id = 1,
                     .requested = node.transport.messages[0].second.sent,
                     .term = schedule::kLeaseTerm}};
  node.relay.FromPeer(NodeId{1}, message);
  EXPECT_TRUE(node.relay.MayAsk(HostAt(1)));
  node.clock.Advance(schedule::kLeaseTerm + schedule::kOrderPatience);
  EXPECT_FALSE(node.relay.MayAsk(HostAt(1)));
}

TEST(LeaseRelayTest, TheSchedulerHearsThatASessionIsLost) {
  OneNode node(0);
  node.relay.OnDisconnected(NodeId{3});
  ASSERT_EQ(node.link.messages.size(), 1u);
  EXPECT_EQ(node.link.messages[0].peer, NodeId{3});
  EXPECT_EQ(node.link.messages[0].process, 0u);
}

}  // namespace
}  // namespace opic::node
