// Processes killed with -9 at random moments: every page is still fetched, no cash is lost, and
// hosts are waited for.
#include <cstdlib>

#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

// Pages whose visit may be lost with a process: being fetched, or in the group not yet synced.
constexpr int kLostPerKill = SampleCrawl::kInFlight + 64;

// Not OPIC_...: those are settings of the programs.
int Kills() {
  const char* asked = std::getenv("KILLS");
  return asked == nullptr ? 5 : std::atoi(asked);
}

absl::Duration RandomPause(base::Rng& rng) {
  return absl::Milliseconds(100 + static_cast<int64_t>(rng.Below(500)));
}

// Lets it work for a while; false: it has come to its end meanwhile.
bool WorksFor(support::Process& process, absl::Duration while_) {
  return !process.Wait(while_).has_value();
}

TEST(CrashTest, AKilledCrawlGoesOnWhereItStood) {
  SampleCrawl crawl(absl::Milliseconds(80));
  base::Rng rng = RandomOfRun();
  int killed = 0;
  for (; killed < Kills(); ++killed) {
    const size_t before = crawl.web().hits().size();
    const int64_t spawned = MonotonicMicros();
    const auto process = crawl.Start();
    ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
      return crawl.web().hits().size() > before || !process->running();
    })) << process->output();
    if (!WorksFor(*process, RandomPause(rng))) break;
    process->Kill();
    crawl.ExpectAuditIsExact();
    crawl.ExpectHostsWaitedSince(spawned);
  }
  EXPECT_GT(killed, 1) << "the crawl is too short for this test";
  const Said said = crawl.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl.ExpectReachableFetched(killed * kLostPerKill);
  crawl.ExpectPolite();
  crawl.ExpectAuditIsExact();
  EXPECT_EQ(crawl.Ask("status")["unread"], 0);
}

// The ranking must not suffer: settling starts again, and ends with the same top pages.
TEST(CrashTest, AKilledCrawlStillRanksExactly) {
  SampleCrawl crawl;
  {
    const auto process = crawl.Start();
    ASSERT_TRUE(crawl.AwaitPageHits(300));
    process->Kill();
  }
  ASSERT_EQ(crawl.Crawl().code, 0);
  const nlohmann::json top = crawl.Ask("top", {"--count", "10"})["pages"];
  const std::vector<sample::RankedPage> exact = crawl.web().exact_ranks();
  ASSERT_EQ(top.size(), 10u);
  EXPECT_EQ(top[0]["url"], exact[0].url);
  for (size_t i = 0; i < 10; ++i)
    EXPECT_NEAR(top[i]["importance"].get<double>() / exact[i].importance, 1, 0.02) << i;
}

// A scheduler beside the node, and a node: killed in turn, each finds its way back to the other.
class TwoProcessesTest : public testing::Test {
 protected:
  void StartScheduler(const std::string& listen) {
    scheduler_ = std::make_unique<support::Process>(
        Words{Program("opic-scheduler"), "--data", crawl_.folder() + "/scheduler", "--listen",
              listen, "--delay", "60ms"},
        support::Process::Options{.output = crawl_.folder() + "/scheduler.out"});
    ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [this] {
      return scheduler_->output().find("scheduling on ") != std::string::npos;
    })) << scheduler_->output();
  }
  // As it said when it started.
  std::string SchedulerAddress() const {
    const std::string said = scheduler_->output();
    const size_t at = said.find("scheduling on ") + 14;
    return said.substr(at, said.find('\n', at) - at);
  }

  SampleCrawl crawl_{absl::Milliseconds(60)};
  std::unique_ptr<support::Process> scheduler_;
};

TEST_F(TwoProcessesTest, ACrawlWithASchedulerBesideItFetchesEachPageOnce) {
  StartScheduler("127.0.0.1:0");
  const Said said = crawl_.Crawl({"--scheduler", SchedulerAddress()});
  ASSERT_EQ(said.code, 0) << said.output;
  crawl_.ExpectReachableFetched();
  crawl_.ExpectPolite();
  crawl_.ExpectAuditIsExact();
}

TEST_F(TwoProcessesTest, SchedulerAndNodeAreKilledInTurn) {
  StartScheduler("127.0.0.1:0");
  const std::string address = SchedulerAddress();
  auto node = crawl_.Start({"--scheduler", address});
  for (const size_t hits : {100u, 200u, 300u, 400u}) {
    ASSERT_TRUE(crawl_.AwaitPageHits(hits)) << node->output();
    if (hits % 200 != 0) {
      scheduler_->Kill();
      StartScheduler(address);
    } else {
      node->Kill();
      crawl_.ExpectAuditIsExact();
      node = crawl_.Start({"--scheduler", address});
    }
  }
  ASSERT_EQ(node->Wait(SampleCrawl::kPatience), 0) << node->output();
  crawl_.ExpectReachableFetched(2 * kLostPerKill);
  crawl_.ExpectPolite();
  crawl_.ExpectAuditIsExact();
}

TEST_F(TwoProcessesTest, NothingIsFetchedTwiceWhenOnlyTheSchedulerIsKilled) {
  StartScheduler("127.0.0.1:0");
  const std::string address = SchedulerAddress();
  const auto node = crawl_.Start({"--scheduler", address});
  ASSERT_TRUE(crawl_.AwaitPageHits(150)) << node->output();
  scheduler_->Kill();
  StartScheduler(address);
  ASSERT_EQ(node->Wait(SampleCrawl::kPatience), 0) << node->output();
  crawl_.ExpectReachableFetched();
  crawl_.ExpectPolite();
}

}  // namespace
}  // namespace opic::scenarios
