// Whole crawls by several nodes: each page is fetched once, by its owner; hosts are asked politely;
// the cash is all there, to the unit; the ranking is that of the web.
#include <gmock/gmock.h>
#include <signal.h>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

// Gives its address.
std::string StartScheduler(SampleCrawl& sample, int number,
                           std::vector<std::unique_ptr<support::Process>>& all) {
  const std::string folder = sample.folder() + "/scheduler" + std::to_string(number);
  all.push_back(std::make_unique<support::Process>(
      Words{Program("opic-scheduler"), "--data", folder, "--listen", "127.0.0.1:0", "--delay",
            absl::FormatDuration(sample.delay())},
      support::Process::Options{.output = folder + ".out"}));
  const auto said = [&] { return all.back()->output(); };
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return said().find("scheduling on ") != std::string::npos;
  })) << said();
  const size_t at = said().find("scheduling on ") + 14;
  return said().substr(at, said().find('\n', at) - at);
}

void ExpectAWholeCrawlOfRanks(ClusterCrawl& crawl) {
  ASSERT_NO_FATAL_FAILURE(crawl.ExpectAWholeCrawl());
  const nlohmann::json top = crawl.Ask("top", {"--count", "10"})["pages"];
  const std::vector<sample::RankedPage> exact = crawl.sample().web().exact_ranks();
  // As good as one node's: no page is better off for the pace of its node.
  double ours = 0, theirs = 0;
  for (size_t i = 0; i < 10; ++i) {
    ours += top[i]["importance"].get<double>();
    theirs += exact[i].importance;
    EXPECT_NEAR(top[i]["importance"].get<double>() / exact[i].importance, 1, 0.02) << i;
  }
  EXPECT_NEAR(ours / theirs, 1, 0.01);
  // One site is one node's, and any node tells of it.
  const std::string best = top[0]["url"];
  const std::string host = std::string(url::HostOf(best));
  const nlohmann::json of_host = crawl.Ask("top", {"--count", "5", "--host", host});
  ASSERT_FALSE(of_host["pages"].empty());
  EXPECT_EQ(of_host["pages"][0]["url"], best);
  for (const nlohmann::json& page : of_host["pages"])
    EXPECT_EQ(url::HostOf(page["url"].get_ref<const std::string&>()), host);
  EXPECT_LT(of_host["matching"], of_host["known"]);
  // The nodes' hosts are of one domain.
  const nlohmann::json domain = crawl.Ask("sites", {"--domain"});
  ASSERT_EQ(domain["sites"].size(), 1u);
  EXPECT_EQ(domain["sites"][0]["pages"], crawl.Ask("status")["pages"]);
  EXPECT_EQ(domain["importance_missed"], 0);
}

// Whoever wants to grow later begins with one: it restates itself at the end, as a lone node does.
TEST(ClusterTest, ANodeWithoutPeersCrawlsTheSampleWeb) {
  ClusterCrawl crawl(1);
  crawl.StartAll();
  ExpectAWholeCrawlOfRanks(crawl);
  EXPECT_EQ(crawl.Ask("status")["phase"], "finished");
  EXPECT_LT(crawl.Ask("status")["rounding_error"], 0.0001);
  EXPECT_THAT(crawl.process(0).output(), testing::Not(testing::HasSubstr("restating failed")));
  const Said restated = RunProgram("opic", {"restate", "--cluster", crawl.file(), "--json"});
  ASSERT_EQ(restated.code, 0) << restated.output;
  EXPECT_EQ(nlohmann::json::parse(restated.answer)["corrected"], true);
}

TEST(ClusterTest, TwoNodesCrawlTheSampleWeb) {
  ClusterCrawl crawl(2);
  crawl.StartAll();
  ExpectAWholeCrawlOfRanks(crawl);
}

TEST(ClusterTest, FourNodesCrawlTheSampleWeb) {
  ClusterCrawl crawl(4);
  crawl.StartAll();
  ExpectAWholeCrawlOfRanks(crawl);
}

TEST(ClusterTest, ANodeIsStoppedCleanlyAndGoesOnAlone) {
  ClusterCrawl crawl(2, absl::Milliseconds(30));
  crawl.StartAll();
  ASSERT_EQ(crawl.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl.sample().AwaitPageHits(150));
  crawl.process(1).Signal(SIGTERM);
  EXPECT_EQ(crawl.process(1).Wait(SampleCrawl::kPatience), 0) << crawl.process(1).output();
  crawl.Start(1);
  const Said said = crawl.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl.sample().ExpectReachableFetched();
  crawl.sample().ExpectPolite();
  crawl.ExpectAuditIsExact();
}

TEST(ClusterTest, ANodeThatDoesNotAnswerIsNamedAndNothingBegins) {
  ClusterCrawl crawl(2);
  crawl.Start(0);
  const Said said = crawl.Crawl({"--patience", "1s"});
  EXPECT_EQ(said.code, 6) << said.output;
  EXPECT_NE(said.output.find("node n1 at " + crawl.address(1)), std::string::npos) << said.output;
  EXPECT_EQ(crawl.sample().PageHitCount(), 0u);
}

bool Says(const support::Process& process, const std::string& what) {
  return support::Eventually(SampleCrawl::kPatience,
                             [&] { return process.output().find(what) != std::string::npos; });
}

TEST(ClusterTest, ANodeThatIsOnlyStartingIsWaitedFor) {
  ClusterCrawl crawl(2);
  crawl.Start(0);
  const auto order = crawl.Watch();
  EXPECT_TRUE(Says(*order, "opic: waiting for n1: ")) << order->output();
  EXPECT_EQ(crawl.sample().PageHitCount(), 0u);
  crawl.Start(1);
  EXPECT_EQ(order->Wait(SampleCrawl::kPatience), 0) << order->output();
  crawl.sample().ExpectReachableFetched();
}

// Whoever answers for the cluster waits for it.
TEST(ClusterTest, ANodeThatHangsIsNamed) {
  ClusterCrawl crawl(2);
  crawl.StartAll();
  crawl.process(1).Signal(SIGSTOP);
  const auto ask = [&](Words words) {
    words.insert(words.begin(), Program("opic"));
    const std::string output = crawl.sample().folder() + "/" + words[1] + ".out";
    words.insert(words.end(), {"--cluster", crawl.file()});
    return support::Process(std::move(words), {.output = output});
  };
  support::Process status = ask({"status"});
  support::Process audit = ask({"audit", "--node", "n1", "--patience", "4s"});
  support::Process pages = ask({"export", "--pages", "--patience", "4s"});
  EXPECT_TRUE(Says(status, "opic: waiting for n1: it does not answer, and n0 asks it"));
  EXPECT_TRUE(Says(audit, "opic: waiting for n1: there is no connection to it yet"));
  EXPECT_TRUE(Says(pages, "opic: waiting for n1: there is no connection to it yet"));
  EXPECT_EQ(audit.Wait(SampleCrawl::kPatience), 6) << audit.output();
  EXPECT_EQ(pages.Wait(SampleCrawl::kPatience), 6) << pages.output();
  EXPECT_EQ(status.Wait(SampleCrawl::kPatience), 7) << status.output();
  crawl.process(1).Signal(SIGCONT);
}

TEST(ClusterTest, TheWatcherMayGo) {
  ClusterCrawl crawl(2, absl::Milliseconds(30));
  crawl.StartAll();
  const auto watcher = crawl.Watch();
  ASSERT_TRUE(crawl.sample().AwaitPageHits(50)) << watcher->output();
  watcher->Signal(SIGINT);
  EXPECT_EQ(watcher->Wait(SampleCrawl::kPatience), 130) << watcher->output();
  ASSERT_EQ(RunProgram("opic", {"crawl", "--cluster", crawl.file(), "--quiet"}).code, 0);
  crawl.sample().ExpectReachableFetched();
}

// The seed's host belongs to one node; the wider scope brings pages that it had put aside, and
// pages of the other node.
TEST(ClusterTest, AWiderScopeReopensWhatLayOutside) {
  ClusterCrawl crawl(2);
  crawl.StartAll();
  crawl.sample().scope = "host";
  ASSERT_EQ(crawl.Crawl().code, 0);
  const size_t narrow = crawl.sample().PageHitCount();
  crawl.sample().scope = "any";
  ASSERT_EQ(crawl.Crawl().code, 0);
  EXPECT_LT(narrow, crawl.sample().PageHitCount());
  crawl.sample().ExpectReachableFetched();
  ASSERT_EQ(crawl.Crawl().code, 0);  // once more: nothing is left
  crawl.sample().ExpectReachableFetched();
  crawl.ExpectAuditIsExact();
}

TEST(ClusterTest, AFolderOfAnotherNodeOrClusterIsRefused) {
  ClusterCrawl crawl(2);
  crawl.Start(0);
  crawl.Kill(0);
  const auto start = [&](const std::string& file, const std::string& node) {
    return RunProgram("opic-node", {"--cluster", file, "--node", node, "--data", crawl.data(0)});
  };
  const Said other_node = start(crawl.file(), "n1");
  EXPECT_EQ(other_node.code, 3) << other_node.output;
  const std::string other_file = crawl.sample().folder() + "/other.json";
  ClusterCrawl::WriteAnotherMap(other_file);
  const Said other_cluster = start(other_file, "n0");
  EXPECT_EQ(other_cluster.code, 3) << other_cluster.output;
  EXPECT_NE(other_cluster.output.find("cluster"), std::string::npos) << other_cluster.output;
}

TEST(ClusterTest, AFolderOfAClusterIsNotCrawledAlone) {
  ClusterCrawl crawl(2);
  crawl.Start(1);
  crawl.Kill(1);
  const Said said = RunProgram("opic", {"crawl", "http://127.0.0.1/", "--data", crawl.data(1)});
  EXPECT_EQ(said.code, 3) << said.output;
}

TEST(ClusterTest, SchedulersBesideTheNodesDoAsWell) {
  ClusterCrawl crawl(2);
  std::vector<std::unique_ptr<support::Process>> schedulers;
  for (int node = 0; node < 2; ++node)
    crawl.Start(node, {"--scheduler", StartScheduler(crawl.sample(), node, schedulers)});
  ASSERT_EQ(crawl.Crawl().code, 0);
  crawl.sample().ExpectReachableFetched();
  crawl.sample().ExpectPolite();
  // Each node passes on what is meant for its scheduler.
  const Said budget = RunProgram(
      "opic", {"control", "budget", "--cluster", crawl.file(), "--rate", "3", "--delay", "7s"});
  EXPECT_EQ(budget.code, 0) << budget.output;
  for (int node = 0; node < 2; ++node) {
    const Said shown = crawl.AskNode(node, "control", {"show", "--local"});
    EXPECT_NE(shown.output.find("\"pages_per_s\": 3"), std::string::npos) << shown.output;
    const Said idle = crawl.AskNode(node, "explain", {"--idle"});
    EXPECT_EQ(idle.code, 0) << idle.output;
  }
}

}  // namespace
}  // namespace opic::scenarios
