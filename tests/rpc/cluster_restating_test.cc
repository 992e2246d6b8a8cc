#include "rpc/cluster_restating.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/running_node.h"

namespace opic::rpc {
namespace {

using testing::HasSubstr;

// A node of a cluster where nothing is off.
class CountedNode final : public node::RestatingSteps {
 public:
  CountedNode(uint16_t self, uint16_t nodes) {
    for (uint16_t peer = 0; peer < nodes; ++peer) {
      if (peer == self) continue;
      stats_.loop.channels.push_back({.peer = NodeId{peer}});
      cut_.channels.push_back({NodeId{peer}, {}, {}});
    }
  }
  absl::StatusOr<node::NodeStats> Stats() override { return stats_; }
  absl::Status PrepareRestating(uint64_t) override {
    ++prepared;
    return refuses ? absl::UnimplementedError("it has no equation") : absl::OkStatus();
  }
  absl::StatusOr<ledger::Cut> TakeCut(uint64_t) override { return cut_; }
  absl::StatusOr<ledger::Restating::Claims> ClaimsFor(uint64_t, NodeId, uint64_t) override {
    return ledger::Restating::Claims{.part = {}, .last = true};
  }
  absl::Status AddClaims(uint64_t, NodeId, uint64_t, absl::Span<const ledger::Drift>) override {
    return absl::OkStatus();
  }
  absl::StatusOr<node::RestatedPart> EndRestating(const node::RestatementEnd& end) override {
    if (end.forget) ++forgotten;
    if (fails) return absl::DataLossError("a row is damaged");
    return node::RestatedPart{.pages = 1, .done = true};
  }

  int prepared = 0, forgotten = 0;
  bool fails = false, refuses = false;

 private:
  node::NodeStats stats_;
  ledger::Cut cut_;
};

// Of each the number of nodes in its cluster file, itself among them.
std::vector<std::shared_ptr<CountedNode>> NodesThatKnow(const std::vector<uint16_t>& knows) {
  std::vector<std::shared_ptr<CountedNode>> nodes;
  for (uint16_t n = 0; n < knows.size(); ++n) {
    nodes.push_back(std::make_shared<CountedNode>(n, knows[n]));
  }
  return nodes;
}

TEST(ClusterRestatingTest, RestatesAllNodesOfACluster) {
  const auto nodes = NodesThatKnow({3, 3, 3});
  const auto sum = RestateCluster({nodes.begin(), nodes.end()}, {});
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(sum->pages, 3u);
}

// What links on the nodes that are left out have paid would be taken away.
TEST(ClusterRestatingTest, RefusesToLeaveNodesOut) {
  for (const std::vector<uint16_t>& knows : {std::vector<uint16_t>{4, 4}, {2, 4}, {2, 3, 3}}) {
    const auto nodes = NodesThatKnow(knows);
    const auto sum = RestateCluster({nodes.begin(), nodes.end()}, {});
    EXPECT_TRUE(absl::IsInvalidArgument(sum.status())) << sum.status();
    for (const auto& node : nodes) EXPECT_EQ(node->prepared, 0);
  }
  const auto nodes = NodesThatKnow({2, 4});
  EXPECT_THAT(RestateCluster({nodes.begin(), nodes.end()}, {}).status().message(),
              HasSubstr("the cluster file of node 1 has 4 nodes, and the one in use here has 2"));
}

// Until then a node keeps its cells and a view of its rows.
TEST(ClusterRestatingTest, WhatFailsIsForgottenByAllNodes) {
  const auto nodes = NodesThatKnow({3, 3, 3});
  nodes[1]->fails = true;
  const auto sum = RestateCluster({nodes.begin(), nodes.end()}, {});
  EXPECT_TRUE(absl::IsDataLoss(sum.status())) << sum.status();
  for (const auto& node : nodes) EXPECT_EQ(node->forgotten, 1);
}

TEST(ClusterRestatingTest, WhereNothingWasPreparedNothingIsForgotten) {
  const auto nodes = NodesThatKnow({3, 3, 3});
  nodes[0]->refuses = true;
  EXPECT_FALSE(RestateCluster({nodes.begin(), nodes.end()}, {}).ok());
  EXPECT_EQ(nodes[1]->forgotten, 0);
  EXPECT_EQ(nodes[2]->forgotten, 0);
}

TEST(ClusterRestatingTest, ANodeOfAClusterIsNotRestatedAlone) {
  const auto nodes = NodesThatKnow({2});
  EXPECT_THAT(RestateCluster({nodes.begin(), nodes.end()}, {}).status().message(),
              HasSubstr("name the cluster's file"));
}

}  // namespace
}  // namespace opic::rpc
