// The services of a node in a cluster, asked through the client that `opic` uses.
#include <gtest/gtest.h>

#include "rpc/node_client.h"
#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/rpc/scripted_node.h"

namespace opic::rpc {
namespace {

class Member final : public ScriptedNode {
 public:
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t epoch) override {
    if (epoch < cut.epoch) return absl::AbortedError("a later epoch has begun");
    cut.epoch = epoch;
    return cut;
  }
  absl::StatusOr<node::MendedEpoch> MendEpoch() override {
    return node::MendedEpoch{~uint64_t{0}, 3};
  }
  absl::StatusOr<node::SeedResults> BeginCrawl(const node::CrawlOrder& given) override {
    order = given;
    return node::SeedResults(given.seeds.size(), {node::SeedOutcome::kOtherNode, ""});
  }
  absl::StatusOr<node::CrawlOrder> Order() override { return order; }
  ledger::Cut cut;
  node::CrawlOrder order;
};

// A node of a cluster: what is asked of it alone it answers itself, the rest its cluster does.
class MemberServicesTest : public testing::Test {
 protected:
  MemberServicesTest() {
    own_.stats_.loop.pages = 1;
    whole_.stats_.loop.pages = 4;
  }
  std::unique_ptr<NodeClient> Client(bool local_only) {
    return NodeClient::To(server_->address(), NodeClientOptions{.patience = absl::Seconds(20),
                                                                .local_only = local_only});
  }
  void SetUp() override { services_.Open(); }
  void TearDown() override {
    services_.Stop();
    server_->Shutdown();
  }

  Member own_;
  ScriptedNode whole_;
  NodeServices services_{own_, {.cluster = &whole_}};
  std::unique_ptr<Server> server_ = *Server::Start("127.0.0.1:0", services_.services());
};

TEST_F(MemberServicesTest, WhoAsksForItAloneHearsItAlone) {
  EXPECT_EQ(Client(/*local_only=*/true)->Stats()->loop.pages, 1u);
  EXPECT_EQ(Client(/*local_only=*/false)->Stats()->loop.pages, 4u);
}

// Two nodes that are both asked for the whole cluster ask each other for their parts: were these
// answered in turn with questions for the whole, both would wait for ever.
TEST_F(MemberServicesTest, ItsOwnPartIsReportedWhileItAsksTheCluster) {
  absl::Notification hold;
  whole_.hold = &hold;
  std::thread asking([&] { EXPECT_TRUE(Client(false)->Stats().ok()); });
  EXPECT_TRUE(Client(true)->Stats().ok());
  EXPECT_TRUE(Client(true)->TakeAudit().ok());
  EXPECT_TRUE(Client(true)->TakeCut(1).ok());
  hold.Notify();
  asking.join();
}

TEST_F(MemberServicesTest, ACutComesToTheUnit) {
  own_.cut.log_number = 2;
  own_.cut.pages = 3;
  own_.cut.unread = 1;
  own_.cut.genesis = cash::kSupply.units();
  own_.cut.table = static_cast<cash::Sum>(1) << 70;
  own_.cut.virtual_page = 6;
  own_.cut.clock = static_cast<cash::Sum>(1) << 90;
  ledger::Cut::ChannelState channel{NodeId{9}, {}, {{41, 0, 1000}, {42, 0, 2000}}};
  channel.book.sealed = 42;
  channel.book.acknowledged = 40;
  channel.book.applied = 17;
  channel.book.sealed_cash = 5000;
  channel.book.applied_cash = 6000;
  channel.book.closed_sealed_cash = 7000;
  channel.book.closed_applied_cash = 8000;
  own_.cut.channels.push_back(channel);
  const auto read = Client(true)->TakeCut(77);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->epoch, 77u);
  EXPECT_EQ(read->log_number, 2u);
  EXPECT_EQ(read->pages, 3u);
  EXPECT_EQ(read->unread, 1u);
  EXPECT_TRUE(read->genesis == own_.cut.genesis && read->table == own_.cut.table &&
              read->virtual_page == 6 && read->clock == own_.cut.clock);
  ASSERT_EQ(read->channels.size(), 1u);
  EXPECT_EQ(read->channels[0].peer, NodeId{9});
  EXPECT_TRUE(read->channels[0].book == channel.book);
  ASSERT_EQ(read->channels[0].retained.size(), 2u);
  EXPECT_EQ(read->channels[0].retained[1].sequence, 42u);
  EXPECT_TRUE(read->channels[0].retained[1].cash == 2000);
}

TEST_F(MemberServicesTest, AnEarlierCutIsAborted) {
  ASSERT_TRUE(Client(true)->TakeCut(5).ok());
  EXPECT_TRUE(absl::IsAborted(Client(true)->TakeCut(4).status()));
}

TEST_F(MemberServicesTest, MendingAnEpochTellsWhatItWas) {
  const auto mended = Client(true)->control().MendEpoch();
  ASSERT_TRUE(mended.ok()) << mended.status();
  EXPECT_EQ(mended->before, ~uint64_t{0});
  EXPECT_EQ(mended->batches, 3u);
}

TEST_F(MemberServicesTest, WhatToCrawlReachesTheNode) {
  const node::CrawlOrder order{.seeds = {"http://a/", "http://b/"},
                               .scope = "host",
                               .include = std::vector<std::string>{"a*"},
                               .exclude = std::vector<std::string>{"b*", "c*"},
                               .depth = 4,
                               .traps = "show",
                               .strip_tracking = true};
  ASSERT_TRUE(Client(false)->control().BeginCrawl(order).ok());
  EXPECT_EQ(own_.order.seeds, order.seeds);
  EXPECT_EQ(own_.order.scope, "host");
  EXPECT_EQ(own_.order.include, order.include);
  EXPECT_EQ(own_.order.exclude, order.exclude);
  EXPECT_EQ(own_.order.depth, 4u);
  EXPECT_EQ(own_.order.traps, "show");
  EXPECT_TRUE(own_.order.strip_tracking);
}

TEST_F(MemberServicesTest, RulesForHostsTravelWithIt) {
  const node::KeptRule rule{
      {.name = "a.test", .domain = true, .blocked = true, .delay = absl::Seconds(2)},
      absl::FromUnixSeconds(1'700'000'000),
      "anna"};
  ASSERT_TRUE(Client(false)->control().BeginCrawl({.hosts = {rule}}).ok());
  for (const auto& rules : {own_.order.hosts, Client(false)->control().Order()->hosts}) {
    ASSERT_EQ(rules.size(), 1u);
    EXPECT_EQ(rules[0].rule, rule.rule);
    EXPECT_EQ(rules[0].since, rule.since);
    EXPECT_EQ(rules[0].by, "anna");
  }
}

// A rule that nobody can keep was dropped, and the answer was OK.
TEST_F(MemberServicesTest, AnOrderWithARuleThatCannotBeReadIsRefusedWhole) {
  const node::KeptRule good{{.name = "a.test", .blocked = true}, absl::UnixEpoch(), "anna"};
  node::KeptRule nameless = good, negative = good;
  nameless.rule.name.clear();
  negative.rule.delay = -absl::Seconds(1);
  for (const node::KeptRule& bad : {nameless, negative})
    EXPECT_TRUE(absl::IsInvalidArgument(
        Client(false)->control().BeginCrawl({.hosts = {good, bad}}).status()));
  EXPECT_TRUE(own_.order.hosts.empty());
}

TEST_F(MemberServicesTest, PublicationsTravelWithIt) {
  const refresh::Publication publication{.id = 7,
                                         .treatment = refresh::Treatment::kEvery,
                                         .amount = 60,
                                         .target = refresh::Target::kHost,
                                         .of = "a.test",
                                         .by = "anna",
                                         .given = 1'700'000'000,
                                         .until = 1'800'000'000,
                                         .note = "why"};
  ASSERT_TRUE(Client(false)->control().BeginCrawl({.publications = {publication}}).ok());
  const std::vector<refresh::Publication> all{publication};
  EXPECT_EQ(own_.order.publications, all);
  EXPECT_EQ(Client(false)->control().Order()->publications, all);
}

// "No patterns" and "no limit" are said; what is not said stays as it is.
TEST_F(MemberServicesTest, WhatIsNotSaidIsNotSaidThereEither) {
  ASSERT_TRUE(Client(false)->control().BeginCrawl({.seeds = {"http://a/"}}).ok());
  EXPECT_FALSE(own_.order.include || own_.order.exclude || own_.order.depth);
  node::CrawlOrder order;
  order.exclude.emplace();
  order.depth = 0;
  ASSERT_TRUE(Client(false)->control().BeginCrawl(order).ok());
  EXPECT_FALSE(own_.order.include);
  EXPECT_EQ(own_.order.exclude, std::vector<std::string>());
  EXPECT_EQ(own_.order.depth, 0u);
}

}  // namespace
}  // namespace opic::rpc
