// Signals, limits, scope and another round: a crawl that is ended early, or asked for more.
#include <csignal>
#include <filesystem>

#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

TEST(InterruptTest, TheFirstSignalDrainsAndTheCrawlGoesOnLater) {
  SampleCrawl crawl(absl::Milliseconds(60));
  const auto process = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(100));
  process->Signal(SIGINT);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130) << process->output();
  EXPECT_LT(crawl.PageHitCount(), crawl.web().reachable().size());
  crawl.ExpectAuditIsExact();
  const Said said = crawl.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(said.output, "") << "with --quiet";
  crawl.ExpectReachableFetched();  // what was under way was kept: nothing is fetched twice
  crawl.ExpectAuditIsExact();
}

TEST(InterruptTest, ACleanStopKeepsPolitenessAcrossTheRestart) {
  SampleCrawl crawl(absl::Milliseconds(100));
  for (const size_t hits : {40u, 80u, 120u}) {
    const auto process = crawl.Start();
    ASSERT_TRUE(crawl.AwaitPageHits(hits));
    process->Signal(SIGTERM);
    EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130);
  }
  crawl.ExpectPolite();
}

// The fetch under way takes longer than anybody would wait: the second signal does not.
TEST(InterruptTest, TheSecondSignalEndsAtOnce) {
  support::HttpServer server([](const support::HttpRequest& request) {
    if (request.target == "/robots.txt") return support::Answer("404 Not Found", "", "");
    return support::HttpReply{.then = support::HttpReply::Then::kSilence};
  });
  const std::string folder = FreshFolder();
  support::Process process(
      {Program("opic"), "crawl", server.Url("/"), "--data", folder + "/data", "--allow-private"},
      {.output = folder + "/out"});
  ASSERT_TRUE(server.AwaitRequests(2));
  process.Signal(SIGINT);
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return process.output().find("waiting for the fetches") != std::string::npos;
  })) << process.output();
  process.Signal(SIGINT);
  EXPECT_EQ(process.Wait(absl::Seconds(10)), 130) << process.output();
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", folder + "/data"}).code, 0);
}

// It went on for ever when its terminal was closed.
TEST(InterruptTest, TheSampleWebEndsWithItsTerminal) {
  const std::string folder = FreshFolder();
  for (const bool with_nohup : {false, true}) {
    std::vector<std::string> words = {Program("opic"), "sample-web",     "--sample-pages",
                                      "100",           "--sample-hosts", "5"};
    if (with_nohup) words.insert(words.begin(), "/usr/bin/nohup");
    support::Process process(words, {.output = folder + (with_nohup ? "/nohup" : "/out")});
    ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
      return process.output().find("connect-to") != std::string::npos;
    })) << process.output();
    process.Signal(SIGHUP);
    if (with_nohup) process.Signal(SIGTERM);
    EXPECT_EQ(process.Wait(SampleCrawl::kPatience), 0) << process.output();
  }
}

TEST(LimitTest, PagesIsANumberOfPages) {
  SampleCrawl crawl(absl::Milliseconds(5));
  const Said said = crawl.Crawl({"--pages", "100"});
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(crawl.PageHitCount(), 100u);
  crawl.ExpectAuditIsExact();
  ASSERT_EQ(crawl.Crawl({"--pages", "150"}).code, 0);
  EXPECT_EQ(crawl.PageHitCount(), 150u);
}

TEST(LimitTest, DepthIsCountedInLinksFromTheSeed) {
  SampleCrawl crawl(absl::Milliseconds(5));
  ASSERT_EQ(crawl.Crawl({"--depth", "1", "--no-settle"}).code, 0);
  EXPECT_GT(crawl.PageHitCount(), 1u);
  EXPECT_LT(crawl.PageHitCount(), crawl.web().reachable().size());
  const nlohmann::json top = crawl.Ask("top", {"--count", "1000"});
  EXPECT_GT(top["pages"].size(), 10u);
  for (const nlohmann::json& page : top["pages"]) {
    const bool fetched = page["fetches"] != 0;
    EXPECT_TRUE(!fetched || page["depth"] <= 1) << page;
  }
}

TEST(LimitTest, TimeEndsTheCrawl) {
  SampleCrawl crawl(absl::Milliseconds(200));
  const absl::Time begin = support::WallTime();
  const Said said = crawl.Crawl({"--time", "1500ms"});
  EXPECT_EQ(said.code, 0) << said.output;
  EXPECT_GE(support::WallTime() - begin, absl::Milliseconds(1500));
  EXPECT_LT(crawl.PageHitCount(), crawl.web().reachable().size());
  crawl.ExpectAuditIsExact();
}

// Pages that were out of scope are fetched when the scope is widened; the others are not again.
TEST(ScopeTest, AWiderScopeReopensPages) {
  SampleCrawl crawl(absl::Milliseconds(5));
  crawl.scope = "host";
  ASSERT_EQ(crawl.Crawl().code, 0);
  std::set<std::string> hosts;
  for (const sample::Hit& hit : crawl.web().hits()) hosts.insert(hit.host);
  EXPECT_EQ(hosts.size(), 1u);
  EXPECT_GT(crawl.Ask("status")["by_state"]["out_of_scope"], 0);
  crawl.scope = "any";
  ASSERT_EQ(crawl.Crawl().code, 0);
  crawl.ExpectReachableFetched();
  crawl.ExpectAuditIsExact();
}

TEST(ScopeTest, ExcludedPagesAreNotFetched) {
  SampleCrawl crawl(absl::Milliseconds(5));
  ASSERT_EQ(crawl.Crawl({"--exclude", "*/news/*", "--no-settle"}).code, 0);
  EXPECT_GT(crawl.PageHitCount(), 100u);
  for (const auto& [url, hits] : crawl.PageHits()) {
    EXPECT_EQ(url.find("/news/"), std::string::npos) << url;
  }
}

// The rest of the scope stays: only what is named changes, and pages in the queue are not fetched
// when they are out of it.
TEST(ScopeTest, AFieldChangesAloneAndForQueuedPagesToo) {
  SampleCrawl crawl(absl::Milliseconds(200));
  const auto first = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(60));
  first->Signal(SIGTERM);
  ASSERT_EQ(first->Wait(SampleCrawl::kPatience), 130);
  const std::map<std::string, int> before = crawl.PageHits();
  const Words more = {
      "crawl",           "--data",  crawl.data(), "--connect-to", crawl.web().connect_to(),
      "--allow-private", "--quiet", "--delay",    "5ms"};
  Words exclude = more;
  exclude.insert(exclude.end(), {"--exclude", "*/news/*", "--no-settle"});
  ASSERT_EQ(RunProgram("opic", exclude).code, 0);
  std::set<std::string> hosts;
  for (const sample::Hit& hit : crawl.web().hits()) hosts.insert(hit.host);
  EXPECT_GT(hosts.size(), 1u) << "--scope any, as before";
  size_t fresh = 0;
  for (const auto& [url, hits] : crawl.PageHits()) {
    if (before.contains(url)) continue;
    ++fresh;
    EXPECT_EQ(url.find("/news/"), std::string::npos) << url;
  }
  EXPECT_GT(fresh, 0u);
  Words all = more;
  all.insert(all.end(), {"--exclude", "", "--no-settle"});
  ASSERT_EQ(RunProgram("opic", all).code, 0);
  crawl.ExpectReachableFetched();
}

// Until it answers.
std::unique_ptr<support::Process> StartAndAwait(SampleCrawl& crawl) {
  const std::string address = crawl.data() + "/node.address";
  std::filesystem::remove(address);
  std::unique_ptr<support::Process> process = crawl.Start();
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience,
                                  [&] { return std::filesystem::exists(address); }));
  return process;
}

// A pause and a budget are an operator's word: a restart does not take them back.
TEST(ControlTest, APauseHoldsOverAKill) {
  SampleCrawl crawl(absl::Milliseconds(100));
  auto process = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(20));
  const auto control = [&](const std::string& action) {
    return RunProgram("opic", {"control", action, "--data", crawl.data()}).code;
  };
  ASSERT_EQ(control("pause"), 0);
  process->Kill();
  const size_t before = crawl.PageHitCount();
  process = StartAndAwait(crawl);
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return RunProgram("opic", {"status", "--data", crawl.data()}).output.find("crawling, paused") !=
           std::string::npos;
  }));
  // The scheduler has nothing to say for as long: it is not held for dead.
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    const Said said = RunProgram("opic", {"status", "--json", "--data", crawl.data()});
    return nlohmann::json::parse(said.answer)["uptime_seconds"] > 5;
  }));
  EXPECT_EQ(RunProgram("opic", {"status", "--data", crawl.data()}).code, 0);
  process->Signal(SIGTERM);  // a clean stop does not take it back either
  ASSERT_EQ(process->Wait(SampleCrawl::kPatience), 130);
  EXPECT_EQ(crawl.PageHitCount(), before);
  EXPECT_NE(RunProgram("opic", {"status", "--data", crawl.data()})
                .output.find("at rest, crawling, paused"),
            std::string::npos);
  process = StartAndAwait(crawl);
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] { return control("resume") == 0; }));
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 0) << process->output();
  crawl.ExpectReachableFetched(/*repeats_max=*/SampleCrawl::kInFlight);
}

TEST(ControlTest, ABudgetHoldsOverARestartAndHasBounds) {
  SampleCrawl crawl(absl::Milliseconds(100));
  auto process = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(5));
  const auto budget = [&](const Words& words) {
    Words all = {"control", "budget", "--data", crawl.data()};
    all.insert(all.end(), words.begin(), words.end());
    return RunProgram("opic", all);
  };
  ASSERT_EQ(budget({"--rate", "0.001"}).code, 0);  // before the crawl ends
  EXPECT_EQ(budget({}).code, 2);
  EXPECT_EQ(budget({"--delay", "100000h"}).code, 2);
  EXPECT_EQ(budget({"--rate", "inf"}).code, 2);
  EXPECT_EQ(budget({"--rate", "nan"}).code, 2);
  process->Kill();
  const size_t before = crawl.PageHitCount();
  process = StartAndAwait(crawl);
  std::string said;
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    said = RunProgram("opic", {"status", "--data", crawl.data()}).output;
    return said.find("budget") != std::string::npos;
  })) << said;
  EXPECT_LE(crawl.PageHitCount(), before + 1);
  ASSERT_EQ(budget({"--rate", "0"}).code, 0);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 0) << process->output();
}

// The limit leaves pages to be read again, whose cash no settling moves; the bound tells of it.
TEST(AgainTest, AnotherRoundThatIsCutShortEnds) {
  SampleCrawl crawl(absl::Milliseconds(5));
  ASSERT_EQ(crawl.Crawl({"--pages", "200"}).code, 0);
  const Said said = crawl.Crawl({"--again", "--pages", "250"});
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_GT(crawl.Ask("status")["unread"], 0);
  EXPECT_GT(crawl.Ask("status")["error_bound"], 0.01);
  EXPECT_EQ(crawl.Crawl().code, 0);
  EXPECT_LT(crawl.Ask("status")["error_bound"], 0.01);
}

// The second round asks with the validators of the first: unchanged pages keep their links.
TEST(AgainTest, AnotherRoundIsConditionalAndKeepsLinks) {
  SampleCrawl crawl(absl::Milliseconds(5));
  ASSERT_EQ(crawl.Crawl().code, 0);
  const nlohmann::json before = crawl.Ask("importance", {crawl.web().seed_url()});
  const Said said = crawl.Crawl({"--again"});
  ASSERT_EQ(said.code, 0) << said.output;
  int not_modified = 0;
  for (const sample::Hit& hit : crawl.web().hits()) not_modified += hit.status == 304;
  EXPECT_GT(not_modified, 500);
  const nlohmann::json after = crawl.Ask("importance", {crawl.web().seed_url()});
  EXPECT_EQ(after["links"], before["links"]);
  EXPECT_EQ(after["fetches"], 2);
  for (const auto& [url, hits] : crawl.PageHits()) EXPECT_EQ(hits, 2) << url;
  crawl.ExpectAuditIsExact();
}

}  // namespace
}  // namespace opic::scenarios
