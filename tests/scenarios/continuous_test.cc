// A crawl that goes on for ever: pages are read again and again, within the rate, politely, over
// kills and moves of shards, and no cash is lost.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "tests/scenarios/cluster_crawl.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

const Words kForEver = {"--continuous",      "--rate", "400", "--refresh-shortest", "1s",
                        "--refresh-longest", "1h"};

uint64_t Readings(const nlohmann::json& status) {
  return status["refresh"]["readings"].get<uint64_t>();
}

// How often each page was asked for.
std::map<std::string, int> Repeated(const SampleCrawl& crawl, int times) {
  std::map<std::string, int> repeated;
  for (const auto& [url, hits] : crawl.PageHits())
    if (hits >= times) repeated[url] = hits;
  return repeated;
}

// Beside the rate there may be what RateBudget lets through at once, and what was under way.
void ExpectWithinRate(const SampleCrawl& crawl, int64_t rate) {
  std::vector<int64_t> asked;
  for (const sample::Hit& hit : crawl.web().hits())
    if (hit.target != "/robots.txt") asked.push_back(hit.start_us);
  std::sort(asked.begin(), asked.end());
  const auto many = static_cast<size_t>(rate);
  ASSERT_GT(asked.size(), many);
  int64_t shortest = asked.back() - asked.front();
  for (size_t i = 0; i + many < asked.size(); ++i)
    shortest = std::min(shortest, asked[i + many] - asked[i]);
  EXPECT_GE(shortest, (rate - rate / 10 - SampleCrawl::kInFlight) * 1'000'000 / rate - 1'000);
}

TEST(ContinuousTest, PagesAreReadAgainWithinTheRate) {
  SampleCrawl crawl(absl::Milliseconds(10), 200, 20);
  const auto process = crawl.Start(kForEver);
  const size_t reachable = crawl.web().reachable().size();
  ASSERT_TRUE(crawl.AwaitPageHits(4 * reachable)) << process->output();
  const nlohmann::json status = crawl.Ask("status");
  EXPECT_GT(Readings(status), reachable);
  EXPECT_EQ(status["refresh"]["changes"], 0) << "nothing changes on this web";
  EXPECT_GE(status["refresh"]["planned"].get<uint64_t>(), reachable * 9 / 10);
  // Nothing is left to discover.
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return crawl.Ask("status")["refresh"]["pages_per_s"] == 400;
  }));
  process->Signal(SIGINT);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130) << process->output();
  EXPECT_GT(Repeated(crawl, 3).size(), reachable / 2);
  int unmodified = 0;
  for (const sample::Hit& hit : crawl.web().hits()) unmodified += hit.status == 304 ? 1 : 0;
  EXPECT_GT(unmodified, static_cast<int>(reachable));
  ExpectWithinRate(crawl, 400);
  crawl.ExpectPolite();
  crawl.ExpectAuditIsExact();
}

TEST(ContinuousTest, ALimitEndsIt) {
  SampleCrawl crawl(absl::Milliseconds(10), 100, 10);
  Words words = kForEver;
  words.insert(words.end(), {"--time", "4s"});
  const Said said = crawl.Crawl(words);
  EXPECT_EQ(said.code, 0) << said.output;
  EXPECT_GT(crawl.PageHitCount(), crawl.web().reachable().size());
}

TEST(ContinuousTest, ItNeedsARate) {
  const Said said = RunProgram(
      "opic", {"crawl", "http://a.test/", "--continuous", "--data", FreshFolder() + "/data"});
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.output.find("--rate"), std::string::npos) << said.output;
}

TEST(ContinuousTest, AKilledCrawlComesBackToItsPages) {
  SampleCrawl crawl(absl::Milliseconds(10), 200, 20);
  const size_t reachable = crawl.web().reachable().size();
  for (int kill = 1; kill <= 3; ++kill) {
    const size_t before = crawl.PageHitCount();
    const auto process = crawl.Start(kForEver);
    ASSERT_TRUE(crawl.AwaitPageHits(before + 2 * reachable)) << process->output();
    process->Kill();
    crawl.ExpectAuditIsExact();
  }
  const Said said = crawl.Crawl();  // an ordinary one ends
  EXPECT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(crawl.Ask("status")["unread"], 0);
  crawl.ExpectPolite();
  crawl.ExpectAuditIsExact();
}

// A category that is stopped stays so over a kill; the calendar tells of it.
TEST(ContinuousTest, ACategoryIsStoppedWhileItRuns) {
  SampleCrawl crawl(absl::Milliseconds(10), 100, 10);
  const size_t reachable = crawl.web().reachable().size();
  auto process = crawl.Start(kForEver);
  ASSERT_TRUE(crawl.AwaitPageHits(2 * reachable)) << process->output();
  const auto refresh = [&](const Words& words) {
    Words all = {"control", "refresh", "--data", crawl.data()};
    all.insert(all.end(), words.begin(), words.end());
    return RunProgram("opic", all);
  };
  EXPECT_EQ(refresh({}).code, 2);
  EXPECT_EQ(refresh({"--factor", "html=-1"}).code, 2);
  EXPECT_EQ(refresh({"--factor", "prose=1"}).code, 2);
  EXPECT_EQ(refresh({"--share", "2"}).code, 2);
  const nlohmann::json before = crawl.Ask("calendar");
  EXPECT_EQ(before["stopped"]["pages"], 0);
  Said said = refresh({"--factor", "html=0", "--share", "0.25"});
  ASSERT_EQ(said.code, 0) << said.output;
  const auto stopped = [&] { return crawl.Ask("calendar")["stopped"]["html"].get<size_t>(); };
  EXPECT_GE(stopped(), reachable * 9 / 10);
  process->Kill();
  const std::string address = crawl.data() + "/node.address";
  std::filesystem::remove(address);
  process = crawl.Start(kForEver);
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience,
                                  [&] { return std::filesystem::exists(address); }));
  ASSERT_TRUE(support::Eventually(
      SampleCrawl::kPatience, [&] { return crawl.Ask("status")["refresh"]["counting"] == false; }));
  EXPECT_EQ(crawl.Ask("status")["refresh"]["categories"]["html"]["factor"], 0);
  EXPECT_GE(stopped(), reachable * 9 / 10);
  const size_t hits = crawl.PageHitCount();
  said = refresh({"--as-started"});
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(stopped(), 0u);
  EXPECT_TRUE(crawl.AwaitPageHits(hits + 2 * reachable)) << process->output();
  process->Signal(SIGINT);
  EXPECT_EQ(process->Wait(SampleCrawl::kPatience), 130) << process->output();
  crawl.ExpectAuditIsExact();
}

TEST(ContinuousTest, PagesThatMoveAreReadByTheirNewNode) {
  ClusterCrawl crawl(3, absl::Milliseconds(10), 200, 20);
  crawl.StartAll(kForEver);
  ASSERT_EQ(crawl.Crawl({"--detach"}).code, 0);
  const size_t reachable = crawl.sample().web().reachable().size();
  ASSERT_TRUE(crawl.sample().AwaitPageHits(2 * reachable));
  const auto moves = crawl.BeginMoves({"drain", "n2"});
  EXPECT_EQ(moves->Wait(SampleCrawl::kPatience), 0) << moves->output();
  // The node without pages lends its rate to the others.
  const auto borrowed = [&](int node) {
    const Said said = crawl.AskNode(node, "status", {"--local"});
    const auto status = nlohmann::json::parse(said.answer, nullptr, /*allow_exceptions=*/false);
    return status.is_object() ? status["refresh"]["borrowed_per_s"].get<double>() : 0;
  };
  EXPECT_TRUE(support::Eventually(
      SampleCrawl::kPatience, [&] { return borrowed(2) < -20 && borrowed(0) + borrowed(1) > 20; }))
      << borrowed(0) << " " << borrowed(1) << " " << borrowed(2);
  const size_t before = crawl.sample().PageHitCount();
  ASSERT_TRUE(crawl.sample().AwaitPageHits(before + 3 * reachable));
  crawl.ExpectAuditIsExact();
  EXPECT_GT(Readings(crawl.Ask("status")), 3 * reachable);
  crawl.Kill(1);
  crawl.Start(1, kForEver);
  const size_t killed = crawl.sample().PageHitCount();
  ASSERT_TRUE(crawl.sample().AwaitPageHits(killed + 2 * reachable));
  crawl.ExpectAuditIsExact();
  crawl.sample().ExpectPolite();
}

}  // namespace
}  // namespace opic::scenarios
