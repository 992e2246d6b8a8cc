// An abuse complaint: a host is blocked while the crawl runs, and nothing of it is lost.
#include <csignal>
#include <filesystem>

#include "tests/scenarios/cluster_crawl.h"
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

constexpr int64_t kSecond = 1'000'000;

Said Control(const SampleCrawl& crawl, const std::string& action, const std::string& host) {
  return RunProgram("opic", {"control", action, host, "--data", crawl.data()});
}

// Requests, also for robots.txt, that began after `since`.
size_t HitsSince(const SampleCrawl& crawl, const std::string& host, int64_t since_us) {
  size_t count = 0;
  for (const sample::Hit& hit : crawl.web().hits())
    count += hit.host == host && hit.start_us > since_us;
  return count;
}

// One that was asked, and has more pages.
std::string SomeHost(const SampleCrawl& crawl) { return crawl.web().hits().back().host; }

// A page of it that was read.
std::string PageReadOn(const SampleCrawl& crawl, const std::string& host) {
  const std::string top = RunProgram("opic", {"top", "--data", crawl.data(), "-n", "1", "--host",
                                              host, "--state", "fetched", "--json"})
                              .output;
  const nlohmann::json pages = nlohmann::json::parse(top, nullptr, false)["pages"];
  return pages.empty() ? "" : pages[0]["url"].get<std::string>();
}

bool AwaitMonotonic(int64_t us) {
  return support::Eventually(SampleCrawl::kPatience, [&] { return MonotonicMicros() > us; });
}

TEST(BlockedHostTest, NoRequestAfterASecondAlsoAfterACrashUntilItIsUnblocked) {
  SampleCrawl crawl(absl::Milliseconds(500));
  const auto process = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(30));
  const std::string host = SomeHost(crawl);
  const Said blocked = Control(crawl, "block", host);
  const int64_t obeyed = MonotonicMicros() + kSecond;
  ASSERT_EQ(blocked.code, 0) << blocked.output;
  EXPECT_NE(blocked.output.find(host + " is blocked"), std::string::npos) << blocked.output;
  ASSERT_TRUE(AwaitMonotonic(obeyed + 2 * kSecond));
  EXPECT_EQ(HitsSince(crawl, host, obeyed), 0u);

  process->Signal(SIGKILL);
  EXPECT_NE(process->Wait(SampleCrawl::kPatience), 0);
  const Words again = {
      "crawl",           "--data",  crawl.data(), "--connect-to", crawl.web().connect_to(),
      "--allow-private", "--delay", "5ms"};
  const Said ended = RunProgram("opic", again);
  ASSERT_EQ(ended.code, 0) << ended.output;  // it does not wait for an operator
  EXPECT_NE(ended.output.find("on hosts that an operator has blocked"), std::string::npos)
      << ended.output;
  EXPECT_EQ(HitsSince(crawl, host, obeyed), 0u);
  EXPECT_GT(crawl.Ask("status")["unread"], 0);
  crawl.ExpectAuditIsExact();

  ASSERT_EQ(Control(crawl, "unblock", host).code, 0) << "also when nothing runs";
  EXPECT_EQ(crawl.ActsInTrail().back(), "TuneHosts by folder");
  ASSERT_EQ(RunProgram("opic", again).code, 0);
  EXPECT_GT(HitsSince(crawl, host, obeyed), 0u);
  crawl.ExpectReachableFetched(/*repeats_max=*/SampleCrawl::kInFlight);
  EXPECT_EQ(crawl.Ask("status")["unread"], 0);
  crawl.ExpectAuditIsExact();
}

TEST(BlockedHostTest, ItIsExplainedAndGoesOnWhenUnblocked) {
  SampleCrawl crawl(absl::Seconds(1));  // some thirty pages a host: it runs for half a minute
  const auto process = crawl.Start();
  ASSERT_TRUE(crawl.AwaitPageHits(20));
  const std::string host = SomeHost(crawl);
  ASSERT_EQ(Control(crawl, "block", host).code, 0);
  const int64_t obeyed = MonotonicMicros() + kSecond;
  const nlohmann::json idle = crawl.Ask("explain", {"--idle"});
  const nlohmann::json* waiting = nullptr;
  for (const nlohmann::json& reason : idle["waiting"]) {
    if (reason["reason"] == "blocked") waiting = &reason;
  }
  ASSERT_NE(waiting, nullptr) << idle.dump();
  EXPECT_EQ((*waiting)["example"], host);
  const Said read =
      RunProgram("opic", {"explain", PageReadOn(crawl, host), "--data", crawl.data()});
  EXPECT_NE(read.output.find("fetched, HTTP status 200"), std::string::npos) << read.output;
  EXPECT_NE(read.output.find("Its host: Blocked by an operator"), std::string::npos) << read.output;
  EXPECT_EQ(Control(crawl, "block", "not a host").code, 2);
  for (const char* address : {"[::1]", "::2", "http://[::3]/"}) {
    const Said said = Control(crawl, "block", address);
    EXPECT_EQ(said.code, 0) << said.output;
    EXPECT_NE(said.output.find("] is blocked"), std::string::npos) << said.output;
  }
  ASSERT_TRUE(AwaitMonotonic(obeyed + kSecond));
  EXPECT_EQ(HitsSince(crawl, host, obeyed), 0u);
  const Said unblocked = Control(crawl, "unblock", host);
  EXPECT_NE(unblocked.output.find(host + " is not blocked"), std::string::npos) << unblocked.output;
  EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience,
                                  [&] { return HitsSince(crawl, host, obeyed) > 1; }));
  process->Signal(SIGKILL);
  process->Wait(SampleCrawl::kPatience);
}

// It was waited for, up to --timeout.
TEST(BlockedHostTest, ARequestUnderWayEndsWithTheCommandAndItsPageStaysUnread) {
  support::HttpServer server([](const support::HttpRequest& request) {
    const std::string header = "Content-Type: text/html\r\n";
    if (request.target == "/robots.txt") return support::Answer("404 Not Found", "", "");
    if (request.target == "/") return support::Answer("200 OK", header, "<a href=/slow>1</a>");
    return support::HttpReply{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n",
                              .then = support::HttpReply::Then::kSilence};
  });
  const std::string folder = FreshFolder(), data = folder + "/data";
  support::Process crawl({Program("opic"), "crawl", server.Url("/"), "--data", data, "--delay",
                          "0s", "--timeout", "300s", "--allow-private"},
                         {.output = folder + "/crawl.out"});
  ASSERT_TRUE(server.AwaitRequests(3)) << crawl.output();
  const Said blocked = RunProgram("opic", {"control", "block", "127.0.0.1", "--data", data});
  ASSERT_EQ(blocked.code, 0) << blocked.output;
  EXPECT_EQ(crawl.Wait(absl::Seconds(60)), 0) << crawl.output();
  const Said status = RunProgram("opic", {"status", "--data", data, "--json"});
  const nlohmann::json told = nlohmann::json::parse(status.answer, nullptr, false);
  ASSERT_TRUE(told.is_object()) << status.output;
  EXPECT_EQ(told.value("unread", -1), 1) << status.output;
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data}).code, 0);
}

ShardId ShardOf(const ClusterCrawl& crawl, const std::string& host) {
  const ledger::Charter charter = crawl.map().CharterOf(NodeId{0});
  return url::UrlHash(charter.shard_by, charter.shards).ShardOfHost(host);
}

// Not the seed's: its pages are found through links only.
std::string HostToBlock(ClusterCrawl& crawl, std::optional<int> of_node = std::nullopt) {
  const std::string seeds(url::Parse(crawl.sample().web().seed_url())->host());
  for (const sample::RankedPage& page : crawl.sample().web().exact_ranks()) {
    const std::string host(url::Parse(page.url)->host());
    const bool fits = !of_node || crawl.map().OwnerOf(ShardOf(crawl, host)) == NodeAt(*of_node);
    if (host != seeds && fits) return host;
  }
  return "";
}

int64_t Block(ClusterCrawl& crawl, const std::string& host) {
  const Said said = RunProgram("opic", {"control", "block", host, "--cluster", crawl.file()});
  EXPECT_EQ(said.code, 0) << said.output;
  return MonotonicMicros();
}

// It knew no rule, and asked the host as soon as the shard was there.
TEST(BlockedHostTest, ANodeThatIsAddedLearnsItWithItsOrder) {
  ClusterCrawl crawl(2);
  crawl.StartAll();
  const std::string host = HostToBlock(crawl);
  ASSERT_NE(host, "");
  const int64_t blocked = Block(crawl, host);
  crawl.Add();
  for (const int old : {0, 1}) {
    crawl.Stop(old);
    crawl.Start(old);
  }
  crawl.Start(2);
  ASSERT_EQ(crawl.Crawl({"--detach"}).code, 0);
  const size_t shard = ShardOf(crawl, host).value;
  const auto moves = crawl.BeginMoves({"move", std::to_string(shard), "n2"});
  ASSERT_EQ(moves->Wait(SampleCrawl::kPatience), 0) << moves->output();
  EXPECT_EQ(crawl.Shards().at(shard).node, "n2");
  const Said ended = crawl.Crawl();
  ASSERT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(HitsSince(crawl.sample(), host, blocked), 0u);
  EXPECT_GT(crawl.Ask("status")["unread"], 0);
  EXPECT_GT(nlohmann::json::parse(crawl.AskNode(2, "status", {"--local"}).answer)["unread"], 0);
  crawl.ExpectAuditIsExact();
}

// It is told alone, or while a node that may know more does not answer.
TEST(BlockedHostTest, ANodeThatIsAddedTakesNoSeedBeforeItKnowsTheRules) {
  ClusterCrawl crawl(2);
  crawl.StartAll();
  const std::string host = HostToBlock(crawl);
  ASSERT_NE(host, "");
  ASSERT_EQ(crawl.Crawl({"--detach"}).code, 0);
  const int64_t blocked = Block(crawl, host);
  crawl.Add();
  for (const int old : {0, 1}) {
    crawl.Stop(old);
    crawl.Start(old);
  }
  crawl.Start(2);
  const std::string seed = "http://" + host + "/";
  const Said alone = RunProgram("opic", {"control", "seed", seed, "--node", crawl.address(2)});
  EXPECT_EQ(alone.code, 3) << alone.output;
  EXPECT_NE(alone.output.find("has not been told yet what to crawl"), std::string::npos);
  EXPECT_NE(alone.output.find("--cluster FILE"), std::string::npos) << alone.output;
  crawl.Stop(0);
  const Words told = {"control", "seed", seed, "--cluster", crawl.file(), "--patience", "10s"};
  const Said without = RunProgram("opic", told);
  EXPECT_EQ(without.code, 6) << without.output;
  EXPECT_NE(without.output.find("nobody has told it yet what to crawl"), std::string::npos)
      << without.output;
  EXPECT_NE(without.output.find(seed + "\n"), std::string::npos) << "what the others answered";
  EXPECT_EQ(RunProgram("opic", {"control", "seed", "--cluster", crawl.file()}).code, 2);
  crawl.Start(0);
  const Said whole = RunProgram("opic", {"control", "seed", seed, "--cluster", crawl.file()});
  EXPECT_EQ(whole.code, 0) << whole.output;
  EXPECT_EQ(HitsSince(crawl.sample(), host, blocked + kSecond), 0u);
}

// The shard map says where shards are at first, and no shard moves here.
TEST(BlockedHostTest, ANodeThatReplacesALostOneLearnsItWithItsOrder) {
  ClusterCrawl crawl(3, absl::ZeroDuration(), 300, 10);
  crawl.StartAll();
  ASSERT_EQ(crawl.Crawl().code, 0);
  const std::string host = HostToBlock(crawl, /*of_node=*/1);
  ASSERT_NE(host, "");
  const int64_t blocked = Block(crawl, host);
  crawl.Kill(1);
  std::filesystem::remove_all(crawl.data(1));
  const Said declared = RunProgram("opic", {"cluster", "declare-lost", "1", "--cluster",
                                            crawl.file(), "--out", crawl.file(), "--force"});
  ASSERT_EQ(declared.code, 0) << declared.output;
  crawl.Start(1);
  const Said recovered = RunProgram("opic", {"cluster", "recover", "--cluster", crawl.file()});
  EXPECT_EQ(recovered.code, 0) << recovered.output;
  EXPECT_EQ(HitsSince(crawl.sample(), host, blocked), 0u);
  EXPECT_GT(nlohmann::json::parse(crawl.AskNode(1, "status", {"--local"}).answer)["withheld"], 0);
  crawl.ExpectAuditIsExact();
}

}  // namespace
}  // namespace opic::scenarios
