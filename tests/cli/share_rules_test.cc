// Rules for hosts, brought to the nodes that lack them.
#include "cli/share_rules.h"

#include <gmock/gmock.h>

#include <optional>

#include "tests/cli/served_cluster.h"

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
  void Has(size_t rules, const std::string& prefix) {
    for (size_t i = 0; i < rules; ++i)
      order.hosts.push_back(BlockOf(prefix + std::to_string(i) + ".test"));
  }

  node::CrawlOrder order;
  absl::Status answer;
  int told = 0;
};

class ShareRulesTest : public ServedCluster<Sharer, 3> {
 protected:
  absl::Status Share() {
    std::vector<std::shared_ptr<rpc::NodeClient>> clients;
    for (const cluster::MemberNode& member : map().nodes())
      clients.push_back(rpc::NodeClient::To(member.address, absl::Seconds(20)));
    return ShareRules(map(), clients);
  }
  Said Seed() { return Opic({"control", "seed", "http://seed.test/", "--cluster", file()}); }
};

TEST_F(ShareRulesTest, MoreRulesThanANodeKeepsAreToldToNone) {
  node(0).Has(6'000, "a");
  node(2).Has(4'001, "b");
  const absl::Status refused = Share();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("10001 rules"));
  const Said seed = Seed();
  EXPECT_EQ(seed.code, 3) << seed.error;
  EXPECT_THAT(seed.error, HasSubstr("10001 rules"));
  for (size_t i = 0; i < map().nodes().size(); ++i) EXPECT_EQ(node(i).told, 0);
}

// Two operators at once, one blocking and one unblocking, leave the nodes different.
TEST_F(ShareRulesTest, WhatANodeLearnsIsSaid) {
  node(0).Has(1, "both");
  node(1).Has(1, "both");
  node(1).Has(1, "z");
  node(2).Has(1, "both");
  node(2).Has(1, "z");
  const Said said = Seed();
  ASSERT_EQ(said.code, 0) << said.error;
  EXPECT_THAT(said.error,
              HasSubstr("n0: 1 rule for hosts that other nodes have: z0.test is blocked\n"));
  EXPECT_THAT(said.error, Not(HasSubstr("n1:")));
  EXPECT_THAT(said.error, Not(HasSubstr("both")));
  EXPECT_THAT(Seed().error, Not(HasSubstr("other nodes"))) << "now all have it";
}

TEST_F(ShareRulesTest, OfManyRulesSomeAreNamed) {
  node(0).Has(7, "a");
  const Said said = Seed();
  ASSERT_EQ(said.code, 0) << said.error;
  for (const char* node : {"n1", "n2"})
    EXPECT_THAT(said.error, HasSubstr(std::string(node) + ": 7 rules for hosts that other nodes "
                                                          "have: a0.test is blocked; "));
  EXPECT_THAT(said.error, HasSubstr("a4.test is blocked; and 2 more\n"));
}

TEST_F(ShareRulesTest, ARefusalIsToldBeforeANodeThatDoesNotAnswer) {
  Stop(0);
  node(1).Has(1, "a");
  node(2).answer = absl::InvalidArgumentError("the rule is invalid");
  const absl::Status refused = Share();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("node n2"));
}

TEST_F(ShareRulesTest, ANodeThatDoesNotAnswerIsPassedOver) {
  Stop(0);
  node(1).Has(1, "a");
  EXPECT_TRUE(DoesNotAnswer(Share()));
  EXPECT_EQ(node(2).order.hosts.size(), 1u);
}

TEST_F(ShareRulesTest, ASeedIsNotGivenWhenANodeRefusesARule) {
  node(1).Has(1, "a");
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
