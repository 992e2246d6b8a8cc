#include "cluster/shard_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace opic::cluster {
namespace {

using testing::HasSubstr;

ledger::Charter SmallCharter() {
  ledger::Charter charter;
  charter.cluster_id = 0xabc;
  charter.shards = 8;
  return charter;
}

ShardMap ThreeNodes() {
  return ShardMap::Even(SmallCharter(), {{{}, "a", "127.0.0.1:7001"},
                                         {{}, "b", "127.0.0.1:7002"},
                                         {{}, "c.example", "[::1]:7003", 4, {}}});
}

// What Parse says of the map of three nodes with `from` replaced by `to`.
std::string SaidOf(const std::string& from, const std::string& to) {
  std::string json = ThreeNodes().ToJson();
  const size_t at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) json.replace(at, from.size(), to);
  const auto map = ShardMap::Parse(json);
  EXPECT_TRUE(map.ok() || absl::IsInvalidArgument(map.status())) << map.status();
  return std::string(map.status().message());
}

TEST(ShardMap, EvenGivesEachNodeAContiguousShare) {
  const ShardMap map = ThreeNodes();
  std::string owners;
  for (uint16_t s = 0; s < 8; ++s) owners += std::to_string(map.OwnerOf(ShardId{s}).value);
  EXPECT_EQ(owners, "00011122");
  EXPECT_EQ(map.node(NodeId{1}).id, NodeId{1});
}

TEST(ShardMap, OnlyTheFirstNodeBeginsWithTheSupply) {
  const ShardMap map = ThreeNodes();
  EXPECT_EQ(map.CharterOf(NodeId{0}).genesis, cash::kSupply);
  const ledger::Charter last = map.CharterOf(NodeId{2});
  EXPECT_EQ(last.genesis, cash::Amount());
  EXPECT_EQ(last.supply, cash::kSupply);
  EXPECT_EQ(last.node, NodeId{2});
  EXPECT_EQ(last.generation, 4u);
  EXPECT_EQ(last.cluster_id, 0xabcu);
}

TEST(ShardMap, NodesAreFoundByNameAndNumber) {
  const ShardMap map = ThreeNodes();
  EXPECT_EQ(map.Find("b"), NodeId{1});
  EXPECT_EQ(map.Find("2"), NodeId{2});
  EXPECT_EQ(map.Find("3"), std::nullopt);
  EXPECT_EQ(map.Find(""), std::nullopt);
  EXPECT_EQ(map.Find("-1"), std::nullopt);
}

TEST(ShardMap, TheFileSaysEverything) {
  ledger::Charter charter = SmallCharter();
  charter.supply = charter.genesis = cash::Amount(12'345);
  charter.shard_by = url::ShardBy::kUrl;
  charter.epsilon = cash::SmallEdge{123'456'789};
  charter.window = {importance::WindowKind::kVariable, 2.5, 5};
  charter.keep_links = false;
  const ShardMap map =
      ShardMap::Even(charter, {{{}, "a", "h:1", 7, {{NodeId{1}, 12, -5}}}, {{}, "b", "h:2"}});
  const auto again = ShardMap::Parse(map.ToJson());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ToJson(), map.ToJson());
  EXPECT_EQ(again->CharterOf(NodeId{0}).Encode(), map.CharterOf(NodeId{0}).Encode());
  EXPECT_EQ(again->node(NodeId{0}).address, "h:1");
  for (uint16_t s = 0; s < 8; ++s) EXPECT_EQ(again->OwnerOf(ShardId{s}), map.OwnerOf(ShardId{s}));
}

TEST(ShardMap, SharesAreWrittenAsPeopleWriteThem) {
  EXPECT_THAT(ThreeNodes().ToJson(), HasSubstr("\"epsilon\": 0.15,"));
}

TEST(ShardMap, UnknownMissingAndRepeatedKeysAreRefused) {
  EXPECT_THAT(SaidOf("\"version\"", "\"vision\""), HasSubstr("version is missing"));
  EXPECT_THAT(SaidOf("\"version\"", "\"colour\": 1, \"version\""),
              HasSubstr("colour is not known here"));
  EXPECT_THAT(SaidOf("\"version\"", "\"shards\": 9, \"version\""),
              HasSubstr("shards is there twice"));
  EXPECT_THAT(SaidOf("\"name\": \"b\"", "\"name\": \"b\", \"port\": 1"),
              HasSubstr("nodes[1].port is not known here"));
}

TEST(ShardMap, NodesMustBeDistinctAndNumberedInOrder) {
  EXPECT_THAT(SaidOf("\"name\": \"b\"", "\"name\": \"a\""),
              HasSubstr("nodes[1].name is there twice"));
  EXPECT_THAT(SaidOf("127.0.0.1:7002", "127.0.0.1:7001"),
              HasSubstr("nodes[1].address is there twice"));
  EXPECT_THAT(SaidOf("\"id\": 1", "\"id\": 2"), HasSubstr("nodes[1].id must be 1"));
  EXPECT_THAT(SaidOf("\"name\": \"b\"", "\"name\": \"17\""), HasSubstr("not all of them digits"));
  EXPECT_THAT(SaidOf("\"name\": \"b\"", "\"name\": \"B b\""), HasSubstr("small letters"));
  EXPECT_THAT(SaidOf("127.0.0.1:7002", "nowhere"), HasSubstr("must be HOST:PORT"));
  EXPECT_THAT(SaidOf("\"generation\": 4", "\"generation\": 0"),
              HasSubstr("nodes[2].generation must be"));
}

TEST(ShardMap, EveryShardHasOneOwner) {
  EXPECT_THAT(SaidOf("\"first\": 3", "\"first\": 4"), HasSubstr("owners[1].first must be 3"));
  EXPECT_THAT(SaidOf("\"last\": 2", "\"last\": 4"), HasSubstr("owners[1].first must be 5"));
  EXPECT_THAT(SaidOf("\"last\": 7", "\"last\": 6"), HasSubstr("end before shard 7 of 8"));
  EXPECT_THAT(SaidOf("\"node\": \"b\"", "\"node\": \"x\""),
              HasSubstr("\"x\" is not among the nodes"));
}

TEST(ShardMap, ValuesOutOfRangeAreRefused) {
  EXPECT_THAT(SaidOf("\"shards\": 8", "\"shards\": 7"), HasSubstr("power of two"));
  EXPECT_THAT(SaidOf("\"shards\": 8", "\"shards\": -8"), HasSubstr("shards must be a whole"));
  EXPECT_THAT(SaidOf("\"shards\": 8", "\"shards\": 2"), HasSubstr("nodes are more than 2"));
  EXPECT_THAT(SaidOf("0.15", "1.5"), HasSubstr("epsilon must be from 0 to 1"));
  EXPECT_THAT(SaidOf("\"interpolation\"", "\"bay\""), HasSubstr("\"bay\" is not a window"));
  EXPECT_THAT(SaidOf("\"host\"", "\"site\""), HasSubstr("h_url must be"));
  EXPECT_THAT(SaidOf("0000000000000abc", "abc"), HasSubstr("16 hexadecimal digits"));
}

TEST(ShardMap, WhatIsNotJsonIsRefusedWithItsPlace) {
  EXPECT_THAT(SaidOf("\"nodes\": [", "\"nodes\": ["), "");
  EXPECT_THAT(SaidOf("\"nodes\": [", "\"nodes\": "), HasSubstr("line"));
  EXPECT_THAT(ShardMap::Parse("").status().message(), HasSubstr("not JSON"));
  EXPECT_THAT(ShardMap::Parse("[]").status().message(), HasSubstr("must be an object"));
}

// One byte lost or changed: refused, or a map that is whole.
TEST(ShardMap, DamageNeverEndsTheProcess) {
  const std::string json = ThreeNodes().ToJson();
  base::Rng rng(1);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = json;
    const size_t at = rng.Below(json.size());
    if (rng.Below(2) == 0) {
      damaged.erase(at, 1 + rng.Below(5));
    } else {
      damaged[at] = static_cast<char>(rng());
    }
    const auto map = ShardMap::Parse(damaged);
    if (map.ok()) {
      EXPECT_TRUE(ShardMap::Parse(map->ToJson()).ok());
    } else {
      EXPECT_TRUE(absl::IsInvalidArgument(map.status()));
    }
  }
}

TEST(ShardMap, AFileThatIsNotThereIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(ShardMap::Read("/nonexistent/no_such_map").status()));
}

TEST(ShardMap, ASuccessorHasTheNextGenerationAndWhatPassedTheChannelsOfTheLostFolder) {
  const ShardMap map = ThreeNodes();
  const std::vector<ledger::LostChannel> lost{{NodeId{1}, 5, cash::Sum{1} << 90},
                                              {NodeId{2}, -3, 0}};
  const std::string json = map.WithSuccessor(NodeId{0}, {{NodeId{1}, 5, 9, 77}}).ToJson();
  const ShardMap next = ShardMap::Parse(json).value();
  EXPECT_EQ(next.version(), map.version() + 1);
  EXPECT_EQ(next.CharterOf(NodeId{0}).generation, 2u);
  EXPECT_EQ(next.CharterOf(NodeId{0}).genesis, cash::kSupply) << "of its first folder";
  EXPECT_EQ(next.CharterOf(NodeId{0}).lost,
            (std::vector<ledger::LostChannel>{{NodeId{1}, 5, 9, 77}}));
  EXPECT_TRUE(next.CharterOf(NodeId{1}).lost.empty());
  EXPECT_THAT(ShardMap::Parse(map.WithSuccessor(NodeId{0}, lost).ToJson()).status().message(),
              testing::HasSubstr("nodes[0].lost adds up to more cash than there can be"));
}

TEST(ShardMap, WhatPassedLostFoldersIsOfOtherNodesInTheirOrder) {
  const auto said = [](std::vector<ledger::LostChannel> lost) {
    const std::string json = ThreeNodes().WithSuccessor(NodeId{0}, std::move(lost)).ToJson();
    return std::string(ShardMap::Parse(json).status().message());
  };
  EXPECT_THAT(said({{NodeId{0}, 0, 0}}),
              testing::HasSubstr("nodes[0].lost[0].id is the node itself"));
  EXPECT_THAT(said({{NodeId{2}, 0, 0}, {NodeId{1}, 0, 0}}),
              testing::HasSubstr("nodes[0].lost[1].id must be more than the one before"));
  EXPECT_THAT(said({{NodeId{1}, 0, 0, -1}}),
              testing::HasSubstr("nodes[0].lost[0].clock must not be negative"));
}

}  // namespace
}  // namespace opic::cluster
