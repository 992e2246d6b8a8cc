// One giant site, and many small ones, on four nodes by both h_url: who has the pages, who fetches,
// and that nobody is asked too soon. tests/soak/spread runs it with a bigger web.
#include <algorithm>
#include <cstdlib>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

uint32_t Asked(const char* variable, uint32_t otherwise) {
  const char* asked = std::getenv(variable);
  return asked == nullptr ? otherwise : static_cast<uint32_t>(std::strtoul(asked, nullptr, 10));
}

struct Extremes {
  uint64_t least = ~uint64_t{0}, most = 0;
  void Add(uint64_t value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

class SpreadTest : public testing::TestWithParam<url::ShardBy> {
 protected:
  bool by_url() const { return GetParam() == url::ShardBy::kUrl; }
  void CrawlAll(uint32_t pages, uint32_t hosts, absl::Duration delay) {
    ClusterCrawl crawl(4, delay, pages, hosts, GetParam());
    crawl.StartAll();
    const auto watcher = crawl.Watch();
    ASSERT_EQ(watcher->Wait(absl::Minutes(20)), 0) << watcher->output();
    crawl.sample().ExpectReachableFetched();
    crawl.sample().ExpectPolite();
    crawl.ExpectAuditIsExact();
    Tell(crawl.Ask("status"));
  }
  void Tell(const nlohmann::json& status) {
    for (const nlohmann::json& node : status["nodes"]) {
      const nlohmann::json& links = node["links_paid"];
      std::printf(
          "%llu pages, %llu fetches, %llu robots.txt, %.0f MB, links paid: %llu own, %llu away\n",
          node["pages"].get<unsigned long long>(), node["requests"].get<unsigned long long>(),
          node["robots_requests"].get<unsigned long long>(),
          node["memory_bytes_peak"].get<double>() / 1e6, links["own"].get<unsigned long long>(),
          links["away"].get<unsigned long long>());
      known_.Add(node["pages"]);
      fetched_.Add(node["requests"]);
    }
    const nlohmann::json& links = status["links_paid"];
    own_share_ =
        links["own"].get<double>() / (links["own"].get<double>() + links["away"].get<double>());
    std::printf(
        "all: %.0f %% of the links are paid on the same node; %.1f bytes a link to others; "
        "%.1f s\n",
        100 * own_share_, links["batch_bytes"].get<double>() / links["away"].get<double>(),
        status["uptime_seconds"].get<double>());
  }

  Extremes known_, fetched_;
  double own_share_ = 0;
};

TEST_P(SpreadTest, OneGiantSite) {
  CrawlAll(Asked("GIANT_PAGES", 500), 1, absl::Milliseconds(5));
  if (by_url()) {
    EXPECT_LT(fetched_.most, fetched_.least * 3 / 2) << "every node fetches its part";
    EXPECT_LT(known_.most, known_.least * 3 / 2);
  } else {
    EXPECT_EQ(fetched_.least, 0u) << "the site is on one node";
    EXPECT_GT(own_share_, 0.99);
  }
}

TEST_P(SpreadTest, ManySmallHosts) {
  CrawlAll(Asked("SPREAD_PAGES", 800), Asked("SPREAD_HOSTS", 80), absl::Milliseconds(100));
  EXPECT_LT(fetched_.most, fetched_.least * 3);
  if (!by_url()) {
    EXPECT_GT(own_share_, 0.5) << "most links lead to their own site";
  } else {
    EXPECT_LT(known_.most, known_.least * 3 / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(ByHostAndByUrl, SpreadTest,
                         testing::Values(url::ShardBy::kHost, url::ShardBy::kUrl),
                         [](const testing::TestParamInfo<url::ShardBy>& mode) {
                           return mode.param == url::ShardBy::kHost ? "ByHost" : "ByUrl";
                         });

}  // namespace
}  // namespace opic::scenarios
