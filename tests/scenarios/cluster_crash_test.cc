// Nodes of a cluster killed with -9, stopped and continued at random: nothing is lost or fetched
// again for long, the cash is exact at every moment at which it can be counted, and nobody is asked
// too soon.
#include <signal.h>

#include <cstdlib>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

// Resident bytes that a process may grow by while it waits for a peer (some 10 MB are seen with
// sanitizers, 2 MB without).
constexpr uint64_t kGrowthMax = 32 << 20;

uint64_t Asked(const char* variable, uint64_t otherwise) {
  const char* asked = std::getenv(variable);
  return asked == nullptr ? otherwise : std::strtoull(asked, nullptr, 10);
}

class ClusterCrashTest : public testing::Test {
 protected:
  // An audit by any of the nodes, whose answer may be partial, but not wrong.
  void Audit() {
    ++audits_;
    exact_ += crawl_.ExpectAuditIsNotWrong(AnyNode()) ? 1 : 0;
  }
  int AnyNode() { return static_cast<int>(rng_.Below(static_cast<uint64_t>(crawl_.nodes()))); }
  void LetWork(int node) {
    const auto pause = absl::Milliseconds(50 + static_cast<int64_t>(rng_.Below(500)));
    EXPECT_FALSE(crawl_.process(node).Wait(pause).has_value()) << crawl_.process(node).output();
  }

  ClusterCrawl crawl_{4, absl::Milliseconds(100), static_cast<uint32_t>(Asked("KILLED_PAGES", 600)),
                      20};
  base::Rng rng_ = RandomOfRun();
  int audits_ = 0, exact_ = 0;
};

TEST_F(ClusterCrashTest, KilledNodesComeBackAndNothingIsLost) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  const int kills = static_cast<int>(Asked("KILLS", 4));
  for (int i = 0; i < kills; ++i) {
    const int victim = AnyNode();
    LetWork(victim);
    Audit();
    crawl_.Kill(victim);
    Audit();
    crawl_.Start(victim);
    ASSERT_FALSE(HasFailure()) << "after kill " << i + 1;
  }
  const Said said = crawl_.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl_.sample().ExpectReachableFetched(kills * ClusterCrawl::kLostPerKill);
  crawl_.sample().ExpectPolite();
  crawl_.ExpectFetchedByOwners();
  crawl_.ExpectAuditIsExact();
  EXPECT_EQ(crawl_.Ask("status")["unread"], 0);
  EXPECT_EQ(crawl_.TopOverlap(10), 10);
  EXPECT_GT(exact_, 0);
  std::printf("%d kills, %d audits while they went on, %d of them whole; %zu page requests\n",
              kills, audits_, exact_, crawl_.sample().PageHitCount());
}

// Hosts are asked slowly, so that the others still have something to do when their memory was asked
// for.
TEST(StoppedNodeTest, IsWaitedForInBoundedMemory) {
  KeepLittleOfWhatIsFreed();
  ClusterCrawl crawl(4, absl::Milliseconds(300));
  crawl.StartAll();
  ASSERT_EQ(crawl.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl.sample().AwaitPageHits(50));
  const auto memory_peak = [&] {
    return crawl.Ask("status", {"--local"})["memory_bytes_peak"].get<uint64_t>();
  };
  crawl.process(3).Signal(SIGSTOP);
  const size_t before = crawl.sample().PageHitCount();
  const uint64_t peak_before = memory_peak();
  ASSERT_TRUE(crawl.sample().AwaitPageHits(before + 100)) << "the others do not go on";
  const Said audit = crawl.AskNode(0, "audit");
  EXPECT_NE(audit.code, 0);
  EXPECT_NE(audit.output.find("n3"), std::string::npos) << audit.output;
  EXPECT_LT(memory_peak(), peak_before + kGrowthMax);
  crawl.process(3).Signal(SIGCONT);
  const Said said = crawl.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl.sample().ExpectReachableFetched();
  crawl.sample().ExpectPolite();
  crawl.ExpectAuditIsExact();
}

// With all of them gone at once nobody has anything in memory.
TEST_F(ClusterCrashTest, AllNodesAreKilledAtOnce) {
  crawl_.StartAll();
  ASSERT_EQ(crawl_.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl_.sample().AwaitPageHits(200));
  for (int node = 0; node < crawl_.nodes(); ++node) crawl_.Kill(node);
  crawl_.StartAll();
  crawl_.ExpectAuditIsExact();
  const Said said = RunProgram("opic", {"crawl", "--cluster", crawl_.file(), "--quiet"});
  ASSERT_EQ(said.code, 0) << said.output;
  crawl_.sample().ExpectReachableFetched(crawl_.nodes() * ClusterCrawl::kLostPerKill);
  crawl_.sample().ExpectPolite();
  crawl_.ExpectAuditIsExact();
}

}  // namespace
}  // namespace opic::scenarios
