// Shards that move between real nodes while they crawl, with kills of both ends. Nothing is lost,
// fetched twice without need, or asked for too soon; a drained node is empty, and the cash is all
// there.
#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

class ClusterMoveTest : public testing::Test {
 protected:
  void Do(const Words& words) {
    const auto process = crawl_.BeginMoves(words);
    ASSERT_EQ(process->Wait(SampleCrawl::kPatience), 0) << process->output();
  }
  void ExpectAWholeCrawl(int kills) {
    const Said said = crawl_.Crawl();
    ASSERT_EQ(said.code, 0) << said.output;
    crawl_.sample().ExpectReachableFetched(kills * ClusterCrawl::kLostPerKill);
    crawl_.sample().ExpectPolite();
    crawl_.ExpectAuditIsExact();
    EXPECT_EQ(crawl_.Ask("status")["unread"], 0);
    EXPECT_GE(crawl_.TopOverlap(10), 8);
  }

  ClusterCrawl crawl_{4, absl::Milliseconds(30)};
  base::Rng rng_ = RandomOfRun();
};

TEST_F(ClusterMoveTest, ANodeIsDrainedWhileItCrawls) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl_.sample().AwaitPageHits(100));
  Do({"drain", "n3"});
  EXPECT_EQ(crawl_.ShardsByNode()["n3"], 0);
  ExpectAWholeCrawl(/*kills=*/0);
  const Said local = crawl_.AskNode(3, "status", {"--local"});
  EXPECT_EQ(nlohmann::json::parse(local.answer)["pages"], 0);
}

TEST_F(ClusterMoveTest, ShardsComeBackToADrainedNode) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl_.sample().AwaitPageHits(50));
  Do({"drain", "n0"});
  Do({"balance"});
  for (const auto& [node, shards] : crawl_.ShardsByNode()) EXPECT_EQ(shards, 256) << node;
  ExpectAWholeCrawl(/*kills=*/0);
}

TEST_F(ClusterMoveTest, BothEndsOfAMoveAreKilled) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl_.sample().AwaitPageHits(50));
  const auto drain = crawl_.BeginMoves({"drain", "n3"});
  int kills = 0;
  for (; kills < 4; ++kills) {
    const bool amid = crawl_.AwaitTheMiddle(*drain).has_value();
    if (!amid && kills >= 2) break;  // both ends were killed
    ASSERT_TRUE(amid) << "the drain was over too soon: " << drain->output();
    drain->Wait(absl::Milliseconds(static_cast<int64_t>(rng_.Below(100))));
    const int victim = kills % 2 == 0 ? 3 : static_cast<int>(rng_.Below(3));
    crawl_.Kill(victim);
    crawl_.Start(victim);
  }
  ASSERT_EQ(drain->Wait(SampleCrawl::kPatience), 0) << drain->output();
  EXPECT_EQ(crawl_.ShardsByNode()["n3"], 0);
  ExpectAWholeCrawl(kills);
}

// What has left the node counts against its limit still: it may not ask for more pages.
TEST(ClusterLimitTest, ANodeAtItsLimitIsFinishedWhenShardsLeaveIt) {
  ClusterCrawl crawl(2);
  crawl.StartAll({"--pages", "40"});
  ASSERT_EQ(crawl.Crawl().code, 0);
  const size_t fetched = crawl.Fetched(0).size();
  const auto move = crawl.BeginMoves({"move", "0-255", "n1"});
  ASSERT_EQ(move->Wait(SampleCrawl::kPatience), 0) << move->output();
  EXPECT_GT(crawl.Ask("status")["unread"], 0);
  const auto watch = crawl.Watch();
  EXPECT_EQ(watch->Wait(SampleCrawl::kPatience), 0) << watch->output();
  EXPECT_EQ(crawl.Fetched(0).size(), fetched);
}

}  // namespace
}  // namespace opic::scenarios
