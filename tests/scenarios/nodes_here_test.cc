// Several nodes of a cluster in one process (`opic-node --nodes-here`): they crawl as several
// processes do, are killed together, and end one by one.
#include <signal.h>

#include <algorithm>

#include "tests/scenarios/cluster_crawl.h"

namespace opic::scenarios {
namespace {

using support::Process;

int Count(const std::string& text, const std::string& what) {
  int count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(NodesHereTest, OneProcessFetchesEachPageOnceByItsOwner) {
  ClusterCrawl crawl(3);
  crawl.StartHere({"--http", "127.0.0.1:0"});
  ASSERT_NO_FATAL_FAILURE(crawl.ExpectAWholeCrawl());
  crawl.Stop(0);
  const std::string log = crawl.process(0).output();
  for (const char* name : {"n0: ", "n1: ", "n2: "}) {
    for (const char* line : {"metrics and health at ", "answering on ", "stopped; everything is"})
      EXPECT_EQ(Count(log, std::string(name) + line), 1) << name << line << "\n" << log;
  }
}

// With all of them gone at once nobody has anything in memory.
TEST(NodesHereTest, KilledTogetherTheyLoseNothing) {
  ClusterCrawl crawl(3, absl::Milliseconds(50));
  crawl.StartHere();
  ASSERT_EQ(crawl.Crawl({"--detach"}).code, 0);
  ASSERT_TRUE(crawl.sample().AwaitPageHits(200));
  crawl.Kill(0);
  crawl.StartHere();
  crawl.ExpectAuditIsExact();
  const Said said = crawl.Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  crawl.sample().ExpectReachableFetched(crawl.nodes() * ClusterCrawl::kLostPerKill);
  crawl.sample().ExpectPolite();
  crawl.ExpectFetchedByOwners();
  crawl.ExpectAuditIsExact();
}

// An operator stops one; the others answer, and the process ends with the last of them.
TEST(NodesHereTest, TheyEndOneByOne) {
  ClusterCrawl crawl(3);
  crawl.StartHere();
  const auto stop = [&](int node) {
    return RunProgram("opic", {"control", "stop", "--node", crawl.address(node)}).code;
  };
  ASSERT_EQ(stop(1), 0);
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    return Count(crawl.process(0).output(), "n1: stopped; everything is saved") == 1;
  })) << crawl.process(0).output();
  EXPECT_EQ(crawl.AskNode(0, "status", {"--local"}).code, 0);
  EXPECT_TRUE(crawl.process(0).running());
  ASSERT_EQ(stop(0), 0);
  ASSERT_EQ(stop(2), 0);
  EXPECT_EQ(crawl.process(0).Wait(SampleCrawl::kPatience), 0) << crawl.process(0).output();
}

// One that cannot start ends them all, with its own exit code.
TEST(NodesHereTest, AllStartOrNone) {
  ClusterCrawl crawl(3);
  crawl.Start(1);
  const Said said =
      RunProgram("opic-node", {"--cluster", crawl.file(), "--node", "n0", "--nodes-here", "3",
                               "--data", crawl.sample().folder()});
  EXPECT_EQ(said.code, 3) << said.output;
  EXPECT_NE(said.output.find("n1: data folder " + crawl.data(1) + " is in use"), std::string::npos)
      << said.output;
  EXPECT_TRUE(crawl.process(1).running());
}

}  // namespace
}  // namespace opic::scenarios
