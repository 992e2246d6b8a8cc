// What holds of hosts that several nodes ask: a group of hosts with a delay, in a cluster.
#include <algorithm>
#include <fstream>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

constexpr absl::Duration kGroupDelay = absl::Milliseconds(300);
constexpr size_t kOfEachNode = 6;

class GroupInAClusterTest : public testing::TestWithParam<url::ShardBy> {
 protected:
  // In the order in which they came.
  std::vector<sample::Hit> Hits() {
    std::vector<sample::Hit> hits = crawl_.sample().web().hits();
    std::sort(hits.begin(), hits.end(),
              [](const sample::Hit& a, const sample::Hit& b) { return a.start_us < b.start_us; });
    return hits;
  }

  ClusterCrawl crawl_{2, absl::Milliseconds(10), 200, 8, GetParam()};
};

TEST_P(GroupInAClusterTest, IsAskedAsOneHostByAllNodes) {
  const std::string file = crawl_.sample().folder() + "/hosts.opic";
  std::ofstream(file) << "group web delay 300ms\ndomain sample.test group web\n";
  crawl_.StartAll({"--hosts-file", file});
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return crawl_.Fetched(0).size() >= kOfEachNode && crawl_.Fetched(1).size() >= kOfEachNode;
  })) << "each has its turn";
  const std::vector<sample::Hit> hits = Hits();
  ASSERT_GE(hits.size(), 2 * kOfEachNode);
  // The server may see the end late; the start it sees never after the client's end.
  const int64_t pause = absl::ToInt64Microseconds(kGroupDelay) - 2000;
  for (size_t n = 1; n < hits.size(); ++n) {
    EXPECT_GE(hits[n].start_us, hits[n - 1].end_us) << "two at once";
    EXPECT_GE(hits[n].start_us - hits[n - 1].start_us, pause) << "too soon: " << hits[n].host;
  }
  const nlohmann::json groups = crawl_.Ask("sites", {"--group"});
  ASSERT_EQ(groups["sites"].size(), 1u) << groups;
  EXPECT_EQ(groups["sites"][0]["name"], "web");
  EXPECT_GE(groups["sites"][0]["pages"], kOfEachNode);
}

INSTANTIATE_TEST_SUITE_P(Sharding, GroupInAClusterTest,
                         testing::Values(url::ShardBy::kHost, url::ShardBy::kUrl),
                         [](const auto& info) {
                           return info.param == url::ShardBy::kHost ? "ByHost" : "ByUrl";
                         });

}  // namespace
}  // namespace opic::scenarios
