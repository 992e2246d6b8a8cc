// The audit of a whole cluster: its sum is to the unit, or not told at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/rpc/cluster_members.h"

namespace opic::rpc {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint64_t kSupply = cash::kSupply.units();

using ClusterAuditTest = ClusterAnswersTest;

TEST_F(ClusterAuditTest, CashUnderWayIsCountedOnce) {
  Seal(0, 1, 70);
  Apply(0, 1, 70);  // applied, and not acknowledged yet: still retained
  Seal(0, 1, 20);
  Seal(0, 2, 5);
  const auto audit = answers_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_FALSE(audit->partial());
  EXPECT_TRUE(audit->expected == kSupply);
  EXPECT_TRUE(audit->table == 70);
  EXPECT_TRUE(audit->virtual_page == kSupply - 95);
  EXPECT_TRUE(audit->in_flight == 25);
  EXPECT_TRUE(audit->difference() == 0);
  ASSERT_EQ(audit->nodes.size(), 3u);
  EXPECT_TRUE(audit->nodes[0].in_flight == 25);
  EXPECT_TRUE(audit->nodes[1].in_flight == 0);
  for (const node::AuditPart& part : audit->nodes) EXPECT_TRUE(part.difference == 0) << part.node;
}

TEST_F(ClusterAuditTest, AUnitThatIsMissingShowsAndWhereItIs) {
  Seal(0, 1, 70);
  Apply(0, 1, 70);
  nodes_[1]->cut.table -= 1;
  const auto audit = answers_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_TRUE(audit->difference() == -1);
  EXPECT_TRUE(audit->nodes[0].difference == 0);
  EXPECT_TRUE(audit->nodes[1].difference == -1);
}

TEST_F(ClusterAuditTest, ANodeThatIsAwayMakesItPartial) {
  nodes_[2]->away = true;
  const auto audit = answers_->TakeAudit();
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_TRUE(audit->partial());
  EXPECT_THAT(audit->missing, ElementsAre("node2"));
  EXPECT_EQ(audit->nodes.size(), 2u);
}

// Every audit is a new cut; a node that has seen a later one than the asked one tells it.
TEST_F(ClusterAuditTest, ItsEpochIsAboveAllThatAnyNodeKnows) {
  nodes_[2]->cut.epoch = 40;
  const auto first = answers_->TakeAudit();
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->epoch, 41u);
  EXPECT_EQ(answers_->TakeAudit()->epoch, 42u);
}

// A node was restarted between its peers' parts and its own, and had forgotten the epoch. Also
// where nodes tell their epoch late, or the second try would get the first one's parts, and take
// them for a contradiction.
TEST_F(ClusterAuditTest, ATornCutIsTakenAgainAtALaterEpoch) {
  for (const bool tells_late : {false, true}) {
    SCOPED_TRACE(tells_late);
    for (const auto& node : nodes_) {
      node->tells_late = tells_late;
      node->cut.epoch = 0;
    }
    Channel(1, 0).book.applied = 1;  // more than node 0 had sealed in its part
    nodes_[1]->on_cut = [this] {
      if (nodes_[1]->cut.epoch == 2) Channel(1, 0).book.applied = 0;
    };
    const auto audit = answers_->TakeAudit();
    ASSERT_TRUE(audit.ok()) << audit.status();
    EXPECT_EQ(audit->epoch, 2u);
    EXPECT_TRUE(audit->difference() == 0);
  }
}

// Between any two tries node 0 was restarted and has gone on: what is missing in each part is
// there in the next.
TEST_F(ClusterAuditTest, WhatIsTornAgainAndAgainIsNotGuessed) {
  uint64_t tried = 0;
  nodes_[0]->on_cut = [&] { Channel(0, 1).book.sealed = tried++; };
  nodes_[1]->on_cut = [this] { ++Channel(1, 0).book.applied; };
  EXPECT_TRUE(absl::IsAborted(answers_->TakeAudit().status()));
}

// While a cluster grows, some nodes have its new file already.
TEST_F(ClusterAuditTest, ANodeWithAnotherClusterFileIsNamed) {
  nodes_[2]->cut.channels.push_back({NodeId{3}, {}, {}});
  EXPECT_THAT(
      answers_->TakeAudit().status().message(),
      HasSubstr("node2 has another cluster file (of 4 nodes) than the node that sums up (of 3)"));
  nodes_[2]->cut.channels.erase(nodes_[2]->cut.channels.begin());  // as many, and others
  const auto audit = answers_->TakeAudit();
  EXPECT_TRUE(absl::IsAborted(audit.status())) << audit.status();
}

// A forgery, a copy of a folder, an older disk: every try was "torn, try again", for ever.
TEST_F(ClusterAuditTest, NodesThatContradictEachOtherAreNamed) {
  ASSERT_TRUE(answers_->TakeAudit().ok());
  Channel(1, 0).book.applied = 7;
  const absl::Status first = answers_->TakeAudit().status();
  EXPECT_TRUE(absl::IsDataLoss(first)) << first;
  EXPECT_THAT(
      std::string(first.message()),
      AllOf(HasSubstr("node0 and node1 contradict each other"),
            HasSubstr("node1 has applied batch 7 of node0, which has sealed no more than 0"),
            HasSubstr("since at least 20"), HasSubstr("the last audit that balanced was at 20"),
            HasSubstr("opic cluster declare-lost node0")));
  EXPECT_EQ(answers_->TakeAudit().status(), first) << "since the same time";
}

TEST_F(ClusterAuditTest, WhoHasForgottenWhatItAcknowledgedIsNamed) {
  Channel(2, 1).book.sealed = Channel(2, 1).book.acknowledged = 3;
  const absl::Status answer = answers_->TakeAudit().status();
  EXPECT_TRUE(absl::IsDataLoss(answer)) << answer;
  EXPECT_THAT(
      std::string(answer.message()),
      AllOf(HasSubstr(
                "node2 has the acknowledgement of node1 for batch 3, and node1 has applied no more "
                "than 0"),
            HasSubstr("declare-lost node1")));
}

}  // namespace
}  // namespace opic::rpc
