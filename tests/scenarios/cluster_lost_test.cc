// The disk of a node is lost: a new folder is refused until an operator declares the old one lost,
// and then not a unit of cash is missing.
#include <filesystem>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

class ClusterLostTest : public testing::Test {
 protected:
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

  ClusterCrawl crawl_{3, absl::ZeroDuration(), 300, 10};
};

TEST_F(ClusterLostTest, AllCashIsThereAfterADiskWasDeclaredLost) {
  LoseDisk(1);
  const Said declared = DeclareLost(1);
  ASSERT_EQ(declared.code, 0) << declared.output;
  EXPECT_NE(declared.output.find("begins anew as generation 2"), std::string::npos);
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

TEST_F(ClusterLostTest, ANodeThatAnswersIsNotLost) {
  const Said declared = DeclareLost(1);
  EXPECT_EQ(declared.code, 3) << declared.output;
  EXPECT_NE(declared.output.find("stop the node first"), std::string::npos);
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
