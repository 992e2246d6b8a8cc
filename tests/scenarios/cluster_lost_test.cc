// The disk of a node is lost: a new folder is refused until an operator declares the old one lost,
// and then not a unit of cash is missing.
#include <csignal>
#include <filesystem>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

class ClusterLostTest : public testing::Test {
 protected:
  explicit ClusterLostTest(importance::Method method = importance::Method::kPush)
      : crawl_(3, absl::ZeroDuration(), 300, 10, url::ShardBy::kHost, method) {}

  void SetUp() override {
    crawl_.StartAll();
    ASSERT_EQ(crawl_.Crawl().code, 0);
  }
  void LoseDisk(int node) {
    crawl_.Kill(node);
    std::filesystem::remove_all(crawl_.data(node));
  }
  Said DeclareLost(int node) {
    return RunProgram("opic", {"cluster", "declare-lost", std::to_string(node), "--cluster",
                               crawl_.file(), "--out", crawl_.file(), "--force"});
  }

  // The whole of docs/operations.md, "A dead disk", on one machine.
  void Replace(int node) {
    LoseDisk(node);
    ASSERT_EQ(DeclareLost(node).code, 0);
    crawl_.Start(node);
    crawl_.ExpectAuditIsExact();  // of all nodes: they have found each other
  }
  Said Recover() { return RunProgram("opic", {"cluster", "recover", "--cluster", crawl_.file()}); }
  nlohmann::json AskCluster(Words words) {
    words.insert(words.end(), {"--cluster", crawl_.file(), "--json"});
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << said.output;
    return nlohmann::json::parse(said.answer);
  }
  void ExpectRightRanking() {
    const nlohmann::json compared = AskCluster({"compare"});
    EXPECT_EQ(compared["pages"], 300);
    EXPECT_EQ(compared["pages_elsewhere"], 0);
    EXPECT_NEAR(compared["online_sum"], 1, 1e-9);
    EXPECT_LT(compared["error_percent"], 1);
    EXPECT_LT(compared["error_percent_top_tenth"], 1);
    EXPECT_GE(compared["top_100_overlap"], 0.99);
  }

  ClusterCrawl crawl_;
};

class ClusterLostByWindowsTest : public ClusterLostTest {
 protected:
  ClusterLostByWindowsTest() : ClusterLostTest(importance::Method::kWindow) {}
};

TEST_F(ClusterLostTest, AllCashIsThereAfterADiskWasDeclaredLost) {
  LoseDisk(1);
  const Said declared = DeclareLost(1);
  ASSERT_EQ(declared.code, 0) << declared.output;
  EXPECT_NE(declared.output.find("starts over as generation 2"), std::string::npos);
  crawl_.Start(1);
  crawl_.ExpectAuditIsExact();
}

TEST_F(ClusterLostTest, TheFirstNodeDoesNotMakeTheSupplyASecondTime) {
  LoseDisk(0);
  crawl_.Start(0);  // an empty folder, which the others do not know
  EXPECT_FALSE(crawl_.ExpectAuditIsNotWrong(1)) << "a sum over a folder that nobody let in";
  crawl_.Kill(0);
  std::filesystem::remove_all(crawl_.data(0));
  ASSERT_EQ(DeclareLost(0).code, 0);
  crawl_.Start(0);
  crawl_.ExpectAuditIsExact();
}

// Two disks, one after the other, and each time the same two commands.
TEST_F(ClusterLostTest, OneCommandFindsThePagesAgainAndMakesTheRankingRight) {
  for (const int lost : {1, 0}) {
    ASSERT_NO_FATAL_FAILURE(Replace(lost));
    const nlohmann::json status = crawl_.Ask("status");
    EXPECT_NE(status["phase"], "finished") << "the links of the lost pages are not in the ranking";
    EXPECT_TRUE(status["restate_due"]);
    const Said recovered = Recover();
    ASSERT_EQ(recovered.code, 0) << recovered.output;
    const Said crawled = crawl_.Crawl();
    ASSERT_EQ(crawled.code, 0) << crawled.output;
    EXPECT_EQ(crawl_.Ask("status")["phase"], "finished");
    EXPECT_FALSE(crawl_.Ask("status")["restate_due"]);
    ExpectRightRanking();
    EXPECT_LT(AskCluster({"restate", "--check"})["error"], 0.01);
    crawl_.ExpectAuditIsExact();
  }
}

TEST_F(ClusterLostByWindowsTest, OneCommandFindsThePagesAgainAndTheWindowIsReached) {
  ASSERT_NO_FATAL_FAILURE(Replace(1));
  ASSERT_TRUE(crawl_.Ask("status")["restate_due"]);
  const Words check = {"restate", "--check", "--cluster", crawl_.file()};
  const Said checked = RunProgram("opic", check);
  EXPECT_NE(checked.code, 0) << "windows have no equation";
  EXPECT_NE(checked.output.find("there is nothing to restate"), std::string::npos)
      << checked.output;
  EXPECT_TRUE(crawl_.Ask("status")["restate_due"]) << "it was only to be looked at";
  const Said recovered = Recover();
  ASSERT_EQ(recovered.code, 0) << recovered.output;
  const Said crawled = crawl_.Crawl();
  ASSERT_EQ(crawled.code, 0) << crawled.output;
  const nlohmann::json status = crawl_.Ask("status");
  EXPECT_EQ(status["pages"], 300);
  EXPECT_EQ(status["unread"], 0);
  EXPECT_EQ(status["phase"], "finished");
  EXPECT_FALSE(status["restate_due"]);
  crawl_.ExpectAuditIsExact();
}

// A command that was cut off is run again with the same file. Once the successor has run, that file
// would make a successor that nobody lets in.
TEST_F(ClusterLostTest, AnOlderFileIsRefusedWhenTheSuccessorHasRun) {
  const std::string older = crawl_.file() + ".older";
  std::filesystem::copy_file(crawl_.file(), older);
  const auto declare = [&] {
    return RunProgram("opic", {"cluster", "declare-lost", "1", "--cluster", older, "--out",
                               crawl_.file(), "--force"});
  };
  LoseDisk(1);
  ASSERT_EQ(declare().code, 0);
  ASSERT_EQ(declare().code, 0) << "the same again, before the successor has run";
  crawl_.Start(1);
  crawl_.ExpectAuditIsExact();
  LoseDisk(1);
  const Said refused = declare();
  EXPECT_EQ(refused.code, 3) << refused.output;
  EXPECT_NE(refused.output.find("the cluster file is older"), std::string::npos) << refused.output;
  ASSERT_EQ(DeclareLost(1).code, 0) << "with the newest file";
  crawl_.Start(1);
  crawl_.ExpectAuditIsExact();
}

// What systemd begins on the empty mount point of a dead disk.
TEST_F(ClusterLostTest, AFolderOfTheLostGenerationIsNoSuccessor) {
  LoseDisk(1);
  crawl_.Start(1);
  crawl_.Kill(1);
  ASSERT_EQ(DeclareLost(1).code, 0);
  const Said refused = RunProgram("opic-node", {"--cluster", crawl_.file(), "--node", "1", "--data",
                                                crawl_.data(1), "--allow-private"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.output.find("start with an empty data folder"), std::string::npos)
      << refused.output;
  std::filesystem::remove_all(crawl_.data(1));
  crawl_.Start(1);
  crawl_.ExpectAuditIsExact();
}

TEST_F(ClusterLostTest, ANodeThatAnswersIsNotLost) {
  const Said declared = DeclareLost(1);
  EXPECT_EQ(declared.code, 3) << declared.output;
  EXPECT_NE(declared.output.find("stop the node first"), std::string::npos);
  crawl_.ExpectAuditIsExact();
}

// The nodes that are told knock at it first, which takes longer than little patience.
TEST_F(ClusterLostTest, NobodyElseIsBlamedForANodeThatHangs) {
  crawl_.process(1).Signal(SIGSTOP);
  const Said declared =
      RunProgram("opic", {"cluster", "declare-lost", "1", "--cluster", crawl_.file(), "--out",
                          crawl_.file() + ".next", "--patience", "1s"});
  crawl_.process(1).Signal(SIGCONT);
  EXPECT_EQ(declared.code, 3) << declared.output;
  EXPECT_NE(declared.output.find("node n1 is running"), std::string::npos) << declared.output;
  crawl_.ExpectAuditIsExact();
}

TEST_F(ClusterLostTest, EveryOtherNodeMustBeTold) {
  LoseDisk(1);
  crawl_.Kill(2);
  const Said declared = DeclareLost(1);
  EXPECT_EQ(declared.code, 6) << declared.output;
  crawl_.Start(2);
  EXPECT_EQ(DeclareLost(1).code, 0);
  crawl_.Start(1);
  crawl_.ExpectAuditIsExact();
}

}  // namespace
}  // namespace opic::scenarios
