#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/move_shards.h"

namespace opic::cli {
namespace {

using ::testing::HasSubstr;

std::vector<NodeId> Nodes(std::vector<uint16_t> numbers) {
  std::vector<NodeId> nodes;
  for (uint16_t number : numbers) nodes.push_back(NodeId{number});
  return nodes;
}

std::map<NodeId, int> After(std::vector<NodeId> owners, const MovePlan& plan) {
  for (const auto& [shard, to] : plan) owners[shard.value] = to;
  std::map<NodeId, int> counts;
  for (NodeId owner : owners) ++counts[owner];
  return counts;
}

TEST(ParseShards, NumbersAndRanges) {
  EXPECT_EQ(ParseShards("7", 16).value(), (std::vector{ShardId{7}}));
  EXPECT_EQ(ParseShards("3-5", 16).value(), (std::vector{ShardId{3}, ShardId{4}, ShardId{5}}));
}

TEST(ParseShards, WhatNamesNoShardIsRefused) {
  for (const char* words : {"", "x", "5-3", "0-16", "16", "-1", "1-", "1-2-3"}) {
    EXPECT_THAT(ParseShards(words, 16).status().message(), HasSubstr("is not a shard")) << words;
  }
}

TEST(EvenPlan, WhoHasEnoughKeepsIt) {
  const std::vector<NodeId> owners = Nodes({0, 0, 1, 1});
  EXPECT_TRUE(EvenPlan(owners, Nodes({0, 1})).empty());
}

TEST(EvenPlan, NewNodesGetTheirPart) {
  const std::vector<NodeId> owners = Nodes({0, 0, 0, 0, 1, 1, 1, 1});
  const MovePlan plan = EvenPlan(owners, Nodes({0, 1, 2, 3}));
  EXPECT_EQ(plan.size(), 4u);
  for (const auto& [node, shards] : After(owners, plan)) EXPECT_EQ(shards, 2) << node.value;
}

TEST(EvenPlan, WhoIsLeftOutLosesEverything) {
  const std::vector<NodeId> owners = Nodes({0, 1, 2, 0, 1, 2, 0});
  const std::map<NodeId, int> after = After(owners, EvenPlan(owners, Nodes({0, 1})));
  EXPECT_EQ(after.at(NodeId{0}), 4);
  EXPECT_EQ(after.at(NodeId{1}), 3);
  EXPECT_FALSE(after.contains(NodeId{2}));
}

}  // namespace
}  // namespace opic::cli
