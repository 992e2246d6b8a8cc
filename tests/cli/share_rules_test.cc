// Rules for hosts, brought to the nodes that lack them.
#include "cli/share_rules.h"

#include <gmock/gmock.h>

#include <array>
#include <optional>

#include "rpc/node_services.h"
#include "rpc/server.h"
#include "tests/cli/program_run.h"
#include "tests/rpc/scripted_node.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

node::KeptRule BlockOf(const std::string& host) {
  return {{.name = host, .domain = false, .blocked = true, .delay = std::nullopt},
          absl::FromUnixSeconds(1'700'000'000),
          "anna"};
}

// Keeps what it is told.
class Sharer final : public rpc::ScriptedNode {
 public:
  absl::StatusOr<node::SeedResults> BeginCrawl(const node::CrawlOrder& given) override {
    RETURN_IF_ERROR(answer);
    ++told;
    order.hosts = node::UnionOf(order.hosts, given.hosts);
    order.seeds.insert(order.seeds.end(), given.seeds.begin(), given.seeds.end());
    return node::SeedResults();
  }
  absl::StatusOr<node::CrawlOrder> Order() override { return order; }

  node::CrawlOrder order;
  absl::Status answer;
  int told = 0;
};

struct ServedSharer {
  ServedSharer() { services.Open(); }
  ~ServedSharer() { Stop(); }
  void Stop() {
    if (stopped) return;
    stopped = true;
    services.Stop();
    server->Shutdown();
  }
  void Has(size_t rules, const std::string& prefix) {
    for (size_t i = 0; i < rules; ++i)
      node.order.hosts.push_back(BlockOf(prefix + std::to_string(i) + ".test"));
  }

  Sharer node;
  rpc::NodeServices services{node, {.cluster = &node}};
  std::unique_ptr<rpc::Server> server = *rpc::Server::Start("127.0.0.1:0", services.services());
  bool stopped = false;
};

class ShareRulesTest : public InOwnFolder {
 protected:
  static constexpr size_t kNodes = 3;

  void SetUp() override {
    InOwnFolder::SetUp();
    std::vector<cluster::MemberNode> members;
    for (size_t i = 0; i < kNodes; ++i) {
      cluster::MemberNode& member = members.emplace_back();
      member.name = "n" + std::to_string(i);
      member.address = served_[i].server->address();
    }
    ledger::Charter charter;
    charter.cluster_id = 0xabc;
    charter.shards = 8;
    map_ = cluster::ShardMap::Even(charter, members);
  }
  absl::Status Share() {
    std::vector<std::shared_ptr<rpc::NodeClient>> clients;
    for (const cluster::MemberNode& member : map_->nodes())
      clients.push_back(rpc::NodeClient::To(member.address, absl::Seconds(20)));
    return ShareRules(*map_, clients);
  }
  Said Seed() {
    return Opic({"control", "seed", "http://seed.test/", "--cluster",
                 Write("cluster.json", map_->ToJson())});
  }
  Sharer& node(size_t i) { return served_[i].node; }

  std::array<ServedSharer, kNodes> served_;
  std::optional<cluster::ShardMap> map_;
};

TEST_F(ShareRulesTest, MoreRulesThanANodeKeepsAreToldToNone) {
  served_[0].Has(6'000, "a");
  served_[2].Has(4'001, "b");
  const absl::Status refused = Share();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("10001 rules"));
  const Said seed = Seed();
  EXPECT_EQ(seed.code, 3) << seed.error;
  EXPECT_THAT(seed.error, HasSubstr("10001 rules"));
  for (size_t i = 0; i < kNodes; ++i) EXPECT_EQ(node(i).told, 0);
}

// Two operators at once, one blocking and one unblocking, leave the nodes different.
TEST_F(ShareRulesTest, WhatANodeLearnsIsSaid) {
  served_[0].Has(1, "both");
  served_[1].Has(1, "both");
  served_[1].Has(1, "z");
  served_[2].Has(1, "both");
  served_[2].Has(1, "z");
  const Said said = Seed();
  ASSERT_EQ(said.code, 0) << said.error;
  EXPECT_THAT(said.error,
              HasSubstr("n0: 1 rule for hosts that other nodes have: z0.test is blocked\n"));
  EXPECT_THAT(said.error, Not(HasSubstr("n1:")));
  EXPECT_THAT(said.error, Not(HasSubstr("both")));
  EXPECT_THAT(Seed().error, Not(HasSubstr("other nodes"))) << "now all have it";
}

TEST_F(ShareRulesTest, OfManyRulesSomeAreNamed) {
  served_[0].Has(7, "a");
  const Said said = Seed();
  ASSERT_EQ(said.code, 0) << said.error;
  for (const char* node : {"n1", "n2"})
    EXPECT_THAT(said.error, HasSubstr(std::string(node) + ": 7 rules for hosts that other nodes "
                                                          "have: a0.test is blocked; "));
  EXPECT_THAT(said.error, HasSubstr("a4.test is blocked; and 2 more\n"));
}

TEST_F(ShareRulesTest, ARefusalIsToldBeforeANodeThatDoesNotAnswer) {
  served_[0].Stop();
  served_[1].Has(1, "a");
  node(2).answer = absl::InvalidArgumentError("the rule is invalid");
  const absl::Status refused = Share();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("node n2"));
}

TEST_F(ShareRulesTest, ANodeThatDoesNotAnswerIsPassedOver) {
  served_[0].Stop();
  served_[1].Has(1, "a");
  EXPECT_TRUE(DoesNotAnswer(Share()));
  EXPECT_EQ(node(2).order.hosts.size(), 1u);
}

TEST_F(ShareRulesTest, ASeedIsNotGivenWhenANodeRefusesARule) {
  served_[1].Has(1, "a");
  node(0).order.seeds = {"http://old.test/"};
  node(2).answer = absl::InvalidArgumentError("the rule is invalid");
  const Said seed = Seed();
  EXPECT_EQ(seed.code, 2) << seed.error;
  EXPECT_THAT(seed.error, HasSubstr("no node was given the seed"));
  EXPECT_EQ(node(0).order.seeds.size(), 1u);
  node(2).answer = absl::OkStatus();
  const Said again = Seed();
  EXPECT_EQ(again.code, 0) << again.error;
  EXPECT_THAT(again.error, Not(HasSubstr("no node")));
  EXPECT_EQ(node(0).order.seeds.size(), 2u);
  EXPECT_EQ(node(2).order.hosts.size(), 1u);
}

}  // namespace
}  // namespace opic::cli
