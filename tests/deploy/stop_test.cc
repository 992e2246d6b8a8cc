// How a node and a scheduler stop when they are told to: not serving at once, what is under way is
// awaited for so long and no longer, everything is saved, and the exit code is 0.
#include <csignal>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "rpc/health.h"
#include "tests/scenarios/cluster_crawl.h"
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Process;

// A site whose front page is answered when the test says so.
class SlowSite {
 public:
  std::string url() const { return server_.Url("/"); }
  bool AwaitFetch() { return server_.AwaitRequests(2); }  // robots.txt, then the page
  void Answer() {
    if (!answer_.HasBeenNotified()) answer_.Notify();
  }
  ~SlowSite() { Answer(); }

 private:
  support::HttpReply Reply(const support::HttpRequest& request) {
    if (request.target == "/robots.txt") return support::Answer("404 Not Found", "", "");
    answer_.WaitForNotification();
    return support::Answer("200 OK", "Content-Type: text/html\r\n", "<p>at last</p>");
  }
  absl::Notification answer_;
  support::HttpServer server_{
      [this](const support::HttpRequest& request) { return Reply(request); }};
};

class StopTest : public testing::Test {
 protected:
  // A node that fetches the slow page and waits for it.
  void StartNode(const std::string& stop_timeout) {
    const Words words = {
        Program("opic-node"), site_.url(), "--data", data(),           "--listen",  "127.0.0.1:0",
        "--allow-private",    "--delay",   "1ms",    "--stop-timeout", stop_timeout};
    node_ = std::make_unique<Process>(words, Process::Options{.output = folder_ + "/node.out"});
    ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] { return !address().empty(); }));
    ASSERT_TRUE(site_.AwaitFetch());
  }
  std::string data() const { return folder_ + "/data"; }
  std::string address() const {
    const std::string said = node_->output(), begin = "answering on ";
    const size_t at = said.find(begin);
    const size_t end = at == std::string::npos ? at : said.find(';', at);
    if (end == std::string::npos) return "";
    return said.substr(at + begin.size(), end - at - begin.size());
  }
  absl::StatusOr<rpc::Health> Health() const {
    return rpc::AskHealth(
        {.address = address(), .patience = absl::Seconds(20), .tls = {}, .name = ""});
  }
  bool BecomesNotServing() const {
    return support::Eventually(SampleCrawl::kPatience, [&] {
      const absl::StatusOr<rpc::Health> health = Health();
      return health.ok() && *health == rpc::Health::kNotServing;
    });
  }
  // How often the slow page was fetched, by the folder at rest; every unit of cash is there.
  nlohmann::json FetchesAtRest() const {
    EXPECT_EQ(RunProgram("opic", {"audit", "--data", data()}).code, 0);
    const Said said = RunProgram("opic", {"importance", "--data", data(), "--json", site_.url()});
    return nlohmann::json::parse(said.answer, nullptr, false).value("fetches", nlohmann::json());
  }

  const std::string folder_ = FreshFolder();
  SlowSite site_;
  std::unique_ptr<Process> node_;
};

TEST_F(StopTest, ANodeServesUntilItIsToldToStop) {
  StartNode("60s");
  EXPECT_EQ(RunProgram("opic", {"health", "--node", address()}).code, 0);
  node_->Signal(SIGTERM);
  ASSERT_TRUE(BecomesNotServing());
  EXPECT_EQ(RunProgram("opic", {"health", "--node", address()}).code, 6);
  EXPECT_EQ(RunProgram("opic", {"health", "--node", address(), "--alive"}).code, 0);
}

TEST_F(StopTest, WhatIsUnderWayIsAwaitedAndKept) {
  StartNode("100s");
  node_->Signal(SIGTERM);
  ASSERT_TRUE(BecomesNotServing());
  EXPECT_TRUE(node_->running());
  site_.Answer();
  EXPECT_EQ(node_->Wait(SampleCrawl::kPatience), 0) << node_->output();
  EXPECT_EQ(FetchesAtRest(), 1);
}

TEST_F(StopTest, StopOverRpcIsTheSame) {
  StartNode("100s");
  ASSERT_EQ(RunProgram("opic", {"control", "stop", "--node", address()}).code, 0);
  ASSERT_TRUE(BecomesNotServing());
  // A service manager that also sends its signal does not make it the second one.
  node_->Signal(SIGTERM);
  site_.Answer();
  EXPECT_EQ(node_->Wait(SampleCrawl::kPatience), 0) << node_->output();
  EXPECT_EQ(FetchesAtRest(), 1);
}

// The page is not answered before the deadline: the node saves without it, and fetches it later.
TEST_F(StopTest, StopTimeoutIsTheLimitOfPatience) {
  StartNode("300ms");
  node_->Signal(SIGTERM);
  EXPECT_EQ(node_->Wait(SampleCrawl::kPatience), 0) << node_->output();
  EXPECT_EQ(FetchesAtRest(), 0);
}

TEST_F(StopTest, TheSecondSignalEndsAtOnceAndNothingIsLost) {
  StartNode("1h");
  node_->Signal(SIGTERM);
  ASSERT_TRUE(BecomesNotServing());
  node_->Signal(SIGTERM);
  EXPECT_EQ(node_->Wait(absl::Seconds(20)), 130) << node_->output();
  EXPECT_EQ(FetchesAtRest(), 0);
}

TEST(SchedulerStopTest, ASchedulerServesAndEndsWithZero) {
  const std::string folder = FreshFolder();
  Process scheduler({Program("opic-scheduler"), "--listen", "127.0.0.1:0", "--data", folder + "/s"},
                    {.output = folder + "/scheduler.out"});
  std::string address;
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    const std::string said = scheduler.output();
    const size_t at = said.find("127.0.0.1:");
    if (at == std::string::npos || said.find('\n', at) == std::string::npos) return false;
    address = said.substr(at, said.find('\n', at) - at);
    return true;
  }));
  EXPECT_EQ(RunProgram("opic", {"health", "--node", address}).code, 0);
  scheduler.Signal(SIGTERM);
  EXPECT_EQ(scheduler.Wait(SampleCrawl::kPatience), 0) << scheduler.output();
}

// Node after node is stopped and started while the cluster crawls: everything is fetched once, as
// every stop drained, and every unit of cash is there.
TEST(RollingRestartTest, ARestartOfEveryNodeCostsNothing) {
  ClusterCrawl cluster(3);
  cluster.StartAll();
  const auto watch = cluster.Watch();
  for (int node = 0; node < cluster.nodes(); ++node) {
    ASSERT_TRUE(cluster.sample().AwaitPageHits(static_cast<size_t>(100 * (node + 1))));
    cluster.process(node).Signal(SIGTERM);
    ASSERT_EQ(cluster.process(node).Wait(SampleCrawl::kPatience), 0);
    cluster.Start(node);
  }
  EXPECT_EQ(watch->Wait(SampleCrawl::kPatience), 0) << watch->output();
  cluster.sample().ExpectReachableFetched();
  cluster.sample().ExpectPolite();
  cluster.ExpectAuditIsExact();
}

}  // namespace
}  // namespace opic::scenarios
