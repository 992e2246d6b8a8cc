// One crawl of the sample web from the seed to the ranking, judged by what the web server saw and
// by what the programs answer.
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

TEST(WholeCrawlTest, EveryReachablePageIsFetchedOnceAndRanked) {
  SampleCrawl crawl;
  const Said said = crawl.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl.ExpectReachableFetched();
  crawl.ExpectPolite();
  crawl.ExpectAuditIsExact();
  const nlohmann::json status = crawl.Ask("status");
  EXPECT_EQ(status["phase"], "finished");
  EXPECT_EQ(status["unread"], 0);
  EXPECT_EQ(status["pages"], crawl.web().exact_ranks().size());
}

TEST(WholeCrawlTest, TheTopPagesAreTheExactOnes) {
  SampleCrawl crawl;
  ASSERT_EQ(crawl.Crawl().code, 0);
  std::set<std::string> ours;
  const nlohmann::json top = crawl.Ask("top", {"--count", "100"});
  for (const nlohmann::json& page : top["pages"]) {
    ours.insert(page["url"].get<std::string>());
  }
  int shared = 0;
  const std::vector<sample::RankedPage> exact = crawl.web().exact_ranks();
  for (size_t i = 0; i < 100; ++i) shared += static_cast<int>(ours.count(exact[i].url));
  EXPECT_EQ(ours.size(), 100u);
  EXPECT_GE(shared, 99);
}

TEST(WholeCrawlTest, TheTopOfAHostIsItsPartOfTheRanking) {
  SampleCrawl crawl;
  ASSERT_EQ(crawl.Crawl().code, 0);
  const std::string host = "site00.sample.test";
  const auto of_host = [&](const nlohmann::json& pages) {
    std::vector<std::string> urls;
    for (const nlohmann::json& page : pages) {
      const std::string url = page["url"];
      if (url.starts_with("http://" + host + "/")) urls.push_back(url);
    }
    return urls;
  };
  const nlohmann::json all = crawl.Ask("top", {"--count", "100000"});
  const nlohmann::json ours = crawl.Ask("top", {"--count", "100000", "--host", host});
  EXPECT_EQ(of_host(ours["pages"]), of_host(all["pages"]));
  EXPECT_EQ(ours["pages"].size(), ours["matching"]);
  EXPECT_GT(ours["matching"], 0);
  const nlohmann::json domain = crawl.Ask("top", {"--count", "7", "--domain", "sample.test"});
  EXPECT_EQ(domain["matching"], all["pages"].size());
  EXPECT_EQ(domain["pages"].size(), 7u);
  const Said refused = RunProgram("opic", {"top", "--domain", host, "--data", crawl.data()});
  EXPECT_EQ(refused.code, 2) << refused.output;
  EXPECT_NE(refused.output.find("registrable domain sample.test"), std::string::npos)
      << refused.output;
}

TEST(WholeCrawlTest, TheSitesAreTheSumsOfTheirPages) {
  SampleCrawl crawl;
  ASSERT_EQ(crawl.Crawl().code, 0);
  const nlohmann::json status = crawl.Ask("status");
  const nlohmann::json hosts = crawl.Ask("sites", {"--limit", "5000"});
  uint64_t pages = 0, failed = 0;
  double importance = 0;
  for (const nlohmann::json& site : hosts["sites"]) {
    pages += site["pages"].get<uint64_t>();
    failed += site["failed"].get<uint64_t>();
    importance += site["importance"].get<double>();
  }
  EXPECT_EQ(hosts["sites"].size(), hosts["known"]);
  EXPECT_EQ(pages, status["pages"]);
  EXPECT_EQ(failed, status["by_state"]["failed"]);
  EXPECT_NEAR(importance, 1, 0.1);
  const std::string best = hosts["sites"][0]["name"];
  // But for those that pay their canonical page alone.
  EXPECT_GE(hosts["sites"][0]["pages"], crawl.Ask("top", {"--host", best})["matching"]);
  const nlohmann::json domain = crawl.Ask("sites", {"--domain"})["sites"];
  ASSERT_EQ(domain.size(), 1u);
  EXPECT_EQ(domain[0]["name"], "sample.test");
  EXPECT_EQ(domain[0]["pages"], status["pages"]);
}

// What has been finished stays finished: nothing is fetched when it is started again.
TEST(WholeCrawlTest, AFinishedCrawlFetchesNothingMore) {
  SampleCrawl crawl;
  ASSERT_EQ(crawl.Crawl().code, 0);
  const size_t before = crawl.web().hits().size();
  ASSERT_EQ(crawl.Crawl().code, 0);
  EXPECT_EQ(crawl.web().hits().size(), before);
  crawl.ExpectAuditIsExact();
}

TEST(WholeCrawlTest, EveryStrategyFetchesEverything) {
  for (const std::string strategy : {"greedy", "cycle", "random"}) {
    SampleCrawl crawl(absl::Milliseconds(5), 200, 10);
    const Said said = crawl.Crawl({"--strategy", strategy, "--no-settle"});
    EXPECT_EQ(said.code, 0) << strategy << ": " << said.output;
    crawl.ExpectReachableFetched();
  }
}

}  // namespace
}  // namespace opic::scenarios
