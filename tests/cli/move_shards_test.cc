// opic cluster shards, when nodes do not answer.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/exit_code.h"
#include "tests/cli/served_cluster.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// Has one shard, of 5 pages.
class Holder final : public rpc::ScriptedNode {
 public:
  absl::StatusOr<std::vector<node::ShardStatus>> Shards() override {
    return std::vector<node::ShardStatus>{
        {.shard = ShardId{number}, .node = NodeId{number}, .pages = 5}};
  }
  uint16_t number = 0;
};

class ListShardsTest : public ServedCluster<Holder, 2> {
 protected:
  void SetUp() override {
    ServedCluster::SetUp();
    node(1).number = 1;
  }
  Said Shards(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"cluster", "shards", "--cluster", file()};
    words.insert(words.end(), more.begin(), more.end());
    return Opic(words);
  }
};

// It said that every shard is under way and that all nodes have none, with exit code 7.
TEST_F(ListShardsTest, WhenNobodyAnswersNothingIsListed) {
  Stop(0), Stop(1);
  const Said said = Shards();
  EXPECT_EQ(said.code, kUnreachable);
  EXPECT_EQ(said.out, "");
  // It told of the last one alone, then each name three times, and its address twice.
  EXPECT_THAT(said.error, HasSubstr("no answer from 2 nodes: n0 at " + map().nodes()[0].address +
                                    ": Connection refused; n1 at " + map().nodes()[1].address +
                                    ": Connection refused\n"));
  EXPECT_EQ(Shards({"--json"}).out, "");
}

TEST_F(ListShardsTest, WhoDoesNotAnswerIsNamedAndItsShardsAreUnknown) {
  Stop(1);
  const Said said = Shards();
  EXPECT_EQ(said.code, kPartial) << said.error;
  EXPECT_THAT(said.out, HasSubstr("    0  n0            5           0      resting\n"));
  EXPECT_THAT(said.out, HasSubstr("    1  -             -           -      unknown\n"));
  EXPECT_THAT(said.out, Not(HasSubstr("under way")));
  EXPECT_THAT(said.out, HasSubstr("\nn0: 1 shard, 5 pages\npartial: node n1 did not answer\n"));
  const auto json = nlohmann::json::parse(Shards({"--json"}).out);
  EXPECT_EQ(json["missing_nodes"], nlohmann::json({"n1"}));
  EXPECT_EQ(json["shards"][1], nlohmann::json({{"shard", 1},
                                               {"node", ""},
                                               {"pages", nullptr},
                                               {"moves", nullptr},
                                               {"state", "unknown"}}));
}

TEST_F(ListShardsTest, WhatNobodyClaimsIsUnderWayWhenAllAnswer) {
  const Said said = Shards();
  EXPECT_EQ(said.code, kOk) << said.error;
  EXPECT_THAT(said.out, HasSubstr("    7                0           0      under way\n"));
}

}  // namespace
}  // namespace opic::cli
