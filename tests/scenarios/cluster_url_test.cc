// Whole-URL sharding (h_url = url): the pages of each site are spread over all nodes, and still one
// of them at a time asks its host, politely.
#include <algorithm>
#include <map>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

class WholeUrlTest : public testing::Test {
 protected:
  // Of one host, how many nodes fetched pages.
  size_t MostNodesOfAHost() {
    std::map<std::string, std::set<int>> nodes_of;
    for (int node = 0; node < crawl_.nodes(); ++node) {
      for (const std::string& url : crawl_.Fetched(node)) {
        nodes_of[std::string(url::Parse(url)->host())].insert(node);
      }
    }
    size_t most = 0;
    for (const auto& [host, nodes] : nodes_of) most = std::max(most, nodes.size());
    return most;
  }
  std::map<std::string, int> RobotsRequests() {
    std::map<std::string, int> requests;
    for (int node = 0; node < crawl_.nodes(); ++node) {
      for (const std::string& url : crawl_.Fetched(node)) {
        if (url.ends_with("/robots.txt")) ++requests[url];
      }
    }
    return requests;
  }
  void ExpectAllIsWell() {
    crawl_.sample().ExpectPolite();
    crawl_.ExpectFetchedByOwners();
    crawl_.ExpectAuditIsExact();
    EXPECT_EQ(crawl_.Ask("status")["unread"], 0);
    EXPECT_GE(crawl_.TopOverlap(10), 8);
  }

  ClusterCrawl crawl_{3, absl::Milliseconds(20), 600, 5, url::ShardBy::kUrl};
};

TEST_F(WholeUrlTest, EverySiteIsSharedAndNobodyIsAskedTooSoon) {
  crawl_.StartAll();
  const Said said = crawl_.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl_.sample().ExpectReachableFetched();
  ExpectAllIsWell();
  EXPECT_EQ(MostNodesOfAHost(), 3u);
}

TEST_F(WholeUrlTest, OneRobotsTxtIsEnoughForAllNodes) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl().code, 0);
  const std::map<std::string, int> requests = RobotsRequests();
  EXPECT_GE(requests.size(), 5u);
  for (const auto& [url, count] : requests) EXPECT_EQ(count, 1) << url;
}

// The lease of a killed holder ends with its process, what a killed home has lent is given back to
// the next one: a kill costs seconds.
TEST_F(WholeUrlTest, KilledNodesComeBackAndNobodyIsAskedTooSoon) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  constexpr int kKills = 3;
  for (int victim = 0; victim < kKills; ++victim) {
    ASSERT_TRUE(crawl_.sample().AwaitPageHits(40 * (static_cast<size_t>(victim) + 1)));
    crawl_.Kill(victim);
    crawl_.Start(victim);
  }
  const Said said = crawl_.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl_.sample().ExpectReachableFetched(kKills * ClusterCrawl::kLostPerKill);
  ExpectAllIsWell();
}

}  // namespace
}  // namespace opic::scenarios
