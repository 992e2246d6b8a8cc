// Backup and restore of a cluster, as docs/operations.md tells.
#include <filesystem>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

namespace fs = std::filesystem;

class ClusterBackupTest : public testing::Test {
 protected:
  void StopAll() {
    for (int node = 0; node < crawl_.nodes(); ++node) crawl_.Stop(node);
  }
  void BackUp(int node) { fs::copy(crawl_.data(node), Backup(node), fs::copy_options::recursive); }
  void Restore(int node) {
    fs::remove_all(crawl_.data(node));
    fs::copy(Backup(node), crawl_.data(node), fs::copy_options::recursive);
  }
  // Crawls some, takes a backup of every folder at rest, and crawls some more.
  void CrawlAroundABackup() {
    crawl_.StartAll();
    ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
    ASSERT_TRUE(crawl_.sample().AwaitPageHits(60));
    StopAll();
    for (int node = 0; node < crawl_.nodes(); ++node) BackUp(node);
    before_ = crawl_.sample().PageHitCount();
    crawl_.StartAll();
    ASSERT_TRUE(crawl_.sample().AwaitPageHits(before_ + 100));
  }
  std::string Backup(int node) const { return crawl_.data(node) + "-backup"; }

  ClusterCrawl crawl_{3, absl::Milliseconds(100)};
  size_t before_ = 0;  // pages fetched before the backup
};

TEST_F(ClusterBackupTest, OfAllFoldersTheCrawlGoesOnWhereItStood) {
  CrawlAroundABackup();
  ASSERT_FALSE(HasFailure());
  for (int node = 0; node < crawl_.nodes(); ++node) crawl_.Kill(node);
  const int after = static_cast<int>(crawl_.sample().PageHitCount() - before_);
  for (int node = 0; node < crawl_.nodes(); ++node) Restore(node);
  crawl_.StartAll();
  crawl_.ExpectAuditIsExact();
  const Said said = crawl_.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl_.sample().ExpectReachableFetched(/*repeats_max=*/after);
  crawl_.ExpectAuditIsExact();
  EXPECT_EQ(crawl_.Ask("status")["unread"], 0);
  EXPECT_EQ(crawl_.TopOverlap(10), 10);
}

}  // namespace
}  // namespace opic::scenarios
