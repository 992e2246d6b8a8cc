// Limits of a crawl that an operator changes while it runs.
#include <filesystem>

#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

Said Control(const SampleCrawl& crawl, const Words& words) {
  Words all = {"control"};
  all.insert(all.end(), words.begin(), words.end());
  all.insert(all.end(), {"--data", crawl.data()});
  return RunProgram("opic", all);
}

nlohmann::json InForce(const SampleCrawl& crawl) { return crawl.Ask("control", {"show"}); }

bool AwaitEnd(const SampleCrawl& crawl) {
  return support::Eventually(SampleCrawl::kPatience, [&] {
    const nlohmann::json status = crawl.Ask("status");
    return status["phase"] == "finished" && status["in_flight"] == 0;
  });
}

TEST(LimitsTest, ACrawlAtItsLimitGoesOnWhenItIsRaisedAndKeepsThatOverAKill) {
  SampleCrawl crawl;
  const Words stay = {"--stay", "--pages", "40"};
  auto process = crawl.Start(stay);
  ASSERT_TRUE(crawl.AwaitPageHits(40)) << process->output();
  ASSERT_TRUE(AwaitEnd(crawl)) << process->output();
  EXPECT_EQ(crawl.PageHitCount(), 40u);
  const nlohmann::json before = InForce(crawl)["limits"];
  EXPECT_EQ(before["pages"], 40);
  EXPECT_EQ(before["pages_was_set"], false);

  ASSERT_EQ(Control(crawl, {"limits", "--pages", "100", "--in-flight", "3"}).code, 0);
  ASSERT_TRUE(crawl.AwaitPageHits(100)) << process->output();
  ASSERT_TRUE(AwaitEnd(crawl)) << process->output();
  EXPECT_EQ(crawl.PageHitCount(), 100u);

  process->Kill();
  const std::string address = crawl.data() + "/node.address";
  std::filesystem::remove(address);
  process = crawl.Start({"--stay"});
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return std::filesystem::exists(address);
  })) << process->output();
  ASSERT_TRUE(AwaitEnd(crawl)) << process->output();
  const nlohmann::json after = InForce(crawl)["limits"];
  EXPECT_EQ(after["pages"], 100);
  EXPECT_EQ(after["in_flight"], 3);
  EXPECT_EQ(after["pages_was_set"], true);

  ASSERT_EQ(Control(crawl, {"limits", "--as-started", "--pages", "0"}).code, 0);
  EXPECT_EQ(InForce(crawl)["limits"]["in_flight"], SampleCrawl::kInFlight);
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return crawl.Ask("status")["unread"] == 0;
  })) << process->output();
  ASSERT_TRUE(AwaitEnd(crawl));
  crawl.ExpectReachableFetched(/*repeats_max=*/SampleCrawl::kInFlight + 64);
  crawl.ExpectAuditIsExact();
  EXPECT_TRUE(crawl.ActsInTrail().back().starts_with("SetLimits by "));
}

// Every later crawl of the folder ended at once, whatever it was given, and did not say why.
TEST(LimitsTest, PagesThatAreTypedTakeThePlaceOfALimitThatWasSet) {
  SampleCrawl crawl;
  const auto process = crawl.Start({"--stay", "--pages", "20"});
  ASSERT_TRUE(crawl.AwaitPageHits(20)) << process->output();
  ASSERT_EQ(Control(crawl, {"limits", "--pages", "40", "--in-flight", "3"}).code, 0);
  ASSERT_TRUE(crawl.AwaitPageHits(40)) << process->output();
  ASSERT_EQ(Control(crawl, {"stop"}).code, 0);
  ASSERT_EQ(process->Wait(SampleCrawl::kPatience), 0) << process->output();

  const Words loud = {"--quiet=false"};
  const Said held = crawl.Crawl(loud);
  EXPECT_NE(held.output.find("the limit that `opic control limits` has set was reached (40 pages)"),
            std::string::npos)
      << held.output;
  EXPECT_NE(held.output.find("--pages 0\n"), std::string::npos) << held.output;
  EXPECT_EQ(crawl.PageHitCount(), 40u);
  ASSERT_EQ(crawl.Crawl({"--pages", "60"}).code, 0);
  EXPECT_EQ(crawl.PageHitCount(), 60u);
  ASSERT_EQ(crawl.Crawl().code, 0);  // it is forgotten
  crawl.ExpectReachableFetched();
}

TEST(LimitsTest, AShallowCrawlGoesDeeper) {
  SampleCrawl crawl;
  const auto process = crawl.Start({"--stay", "--depth", "1"});
  ASSERT_TRUE(crawl.AwaitPageHits(2)) << process->output();
  ASSERT_TRUE(AwaitEnd(crawl)) << process->output();
  const size_t shallow = crawl.PageHitCount();
  ASSERT_EQ(Control(crawl, {"limits", "--depth", "0"}).code, 0);
  EXPECT_EQ(InForce(crawl)["scope"]["depth"], 0);
  ASSERT_TRUE(crawl.AwaitPageHits(crawl.web().reachable().size())) << process->output();
  ASSERT_TRUE(AwaitEnd(crawl));
  EXPECT_LT(shallow, crawl.web().reachable().size());
  crawl.ExpectReachableFetched();
  crawl.ExpectAuditIsExact();
}

TEST(LimitsTest, WrongOnesAreRefused) {
  SampleCrawl crawl;
  const auto process = crawl.Start({"--stay"});
  ASSERT_TRUE(crawl.AwaitPageHits(1)) << process->output();
  EXPECT_EQ(Control(crawl, {"limits"}).code, 2);
  EXPECT_EQ(Control(crawl, {"limits", "--in-flight", "0"}).code, 2);
  EXPECT_EQ(Control(crawl, {"limits", "--in-flight", "10001"}).code, 2);
  EXPECT_EQ(Control(crawl, {"limits", "--pages", "-1"}).code, 2);
  EXPECT_EQ(Control(crawl, {"log", "--level", "loud"}).code, 2);
  EXPECT_EQ(Control(crawl, {"log"}).code, 2);
  EXPECT_EQ(Control(crawl, {"log", "--level", "rcp=debug"}).code, 2);
  EXPECT_EQ(Control(crawl, {"log", "--level", "debug", "--module", "rcp"}).code, 2);
  EXPECT_EQ(Control(crawl, {"log", "--level", "info,rpc=debug", "--module", "rpc"}).code, 2);
  EXPECT_EQ(InForce(crawl)["limits"]["in_flight"], SampleCrawl::kInFlight);
}

TEST(LimitsTest, TheLogBecomesQuieter) {
  SampleCrawl crawl;
  const auto process = crawl.Start({"--stay"});
  ASSERT_TRUE(crawl.AwaitPageHits(1)) << process->output();
  ASSERT_EQ(Control(crawl, {"log", "--level", "error"}).code, 0);
  EXPECT_EQ(InForce(crawl)["log_level"], "error");
  ASSERT_EQ(Control(crawl, {"pause"}).code, 0);
  ASSERT_EQ(Control(crawl, {"log", "--level", "info"}).code, 0);
  ASSERT_EQ(Control(crawl, {"resume"}).code, 0);
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return process->output().find("fetching is resumed") != std::string::npos;
  })) << process->output();
  EXPECT_EQ(process->output().find("fetching is paused"), std::string::npos) << process->output();
}

TEST(LimitsTest, OneModuleLogsMore) {
  SampleCrawl crawl;
  const auto process = crawl.Start({"--stay", "--log-level", "info,fetch=debug"});
  const auto says = [&](const std::string& what) {
    return support::Eventually(SampleCrawl::kPatience,
                               [&] { return process->output().find(what) != std::string::npos; });
  };
  EXPECT_TRUE(says("debug http://site")) << process->output();
  EXPECT_TRUE(says(": status 200, ")) << process->output();
  EXPECT_EQ(process->output().find("a question of"), std::string::npos) << process->output();
  ASSERT_EQ(Control(crawl, {"log", "--level", "debug", "--module", "rpc"}).code, 0);
  EXPECT_TRUE(says("the log is set to level info,fetch=debug,rpc=debug, by an operator"));
  const nlohmann::json now = InForce(crawl);
  EXPECT_EQ(now["log_level"], "info");
  EXPECT_EQ(now["log_modules"], nlohmann::json({{"fetch", "debug"}, {"rpc", "debug"}}));
  EXPECT_TRUE(says("a question of")) << process->output();
  ASSERT_EQ(Control(crawl, {"log", "--level", "warning"}).code, 0);
  EXPECT_EQ(InForce(crawl)["log_modules"], nlohmann::json::object());
}

}  // namespace
}  // namespace opic::scenarios
