// Metrics and health over HTTP, of the real programs.
#include <algorithm>
#include <csignal>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "tests/sample/http_client.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

using nlohmann::json;
using sample::HttpClient;
using sample::Response;
using support::Eventually;
using support::Process;

// What stands between the two in the process's output, as soon as it is there.
std::string Between(const Process& process, const std::string& before, const std::string& after) {
  std::string said;
  EXPECT_TRUE(Eventually(SampleCrawl::kPatience, [&] {
    const std::string output = process.output();
    const size_t begin = output.find(before);
    const size_t end = output.find(after, begin + before.size());
    if (begin == output.npos || end == output.npos) return false;
    said = output.substr(begin + before.size(), end - begin - before.size());
    return true;
  })) << process.output();
  return said;
}

uint16_t HttpPort(const Process& process) {
  return static_cast<uint16_t>(std::stoi(Between(process, "http://127.0.0.1:", "/metrics")));
}

Response Ask(uint16_t port, const std::string& target) {
  return HttpClient(port).Get("here", target);
}

// Waits until /readyz answers so.
void ExpectReady(uint16_t port, int status, const std::string& reason = "") {
  Response last;
  EXPECT_TRUE(Eventually(SampleCrawl::kPatience,
                         [&] {
                           last = Ask(port, "/readyz");
                           return last.status == status &&
                                  last.body.find(reason) != std::string::npos;
                         }))
      << "last " << last.status << " " << last.body;
}

using Samples = std::map<std::string, double>;

Samples Metrics(uint16_t port) {
  const Response response = Ask(port, "/metrics");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  Samples samples;
  for (const std::string& line :
       std::vector<std::string>(absl::StrSplit(response.body, "\n", absl::SkipEmpty()))) {
    if (line[0] == '#') continue;
    const size_t space = line.rfind(' ');
    EXPECT_TRUE(absl::SimpleAtod(line.substr(space + 1), &samples[line.substr(0, space)])) << line;
  }
  return samples;
}

// `opic status --json` in the words of the metrics.
Samples AsMetrics(const json& status) {
  Samples samples;
  for (const char* counter : {"requests", "robots_requests", "pages_read", "pages_ended", "settled",
                              "links_found", "wire_bytes", "http_errors", "commits"})
    samples[std::string("opic_") + counter + "_total"] = status.at(counter);
  for (const char* group : {"failures", "links_paid"}) {
    for (const auto& [key, count] : status.at(group).items())
      samples[std::string("opic_") + group + "_" + key + "_total"] = count;
  }
  for (const auto& [state, count] : status.at("by_state").items())
    samples["opic_pages_visited{state=\"" + state + "\"}"] = count;
  samples["opic_pages"] = status.at("pages");
  samples["opic_pages_unread"] = status.at("unread");
  samples["opic_error_bound_ratio"] = status.at("error_bound");
  samples["opic_paused"] = status.at("paused") ? 1 : 0;
  samples["opic_phase{phase=\"" + status.at("phase").get<std::string>() + "\"}"] = 1;
  return samples;
}

// The words that let an opic-node crawl the sample web.
Words NodeWords(const SampleCrawl& crawl, const Words& more) {
  Words words = crawl.CrawlWords({"--listen", "127.0.0.1:0"});
  words[0] = Program("opic-node");
  std::erase(words, "--quiet");
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::unique_ptr<Process> StartNode(const SampleCrawl& crawl, const Words& more) {
  Words words = NodeWords(crawl, more);
  return std::make_unique<Process>(std::move(words),
                                   Process::Options{crawl.folder() + "/node.out"});
}

Said Control(const std::string& node, const std::string& what) {
  return RunProgram("opic", {"control", what, "--node", node});
}

TEST(HttpStatusTest, TheMetricsAgreeWithTheStatus) {
  SampleCrawl crawl(absl::Milliseconds(1), 300, 10);
  const auto node = StartNode(crawl, {"--http", "127.0.0.1:0"});
  const uint16_t port = HttpPort(*node);
  ExpectReady(port, 200);
  EXPECT_EQ(Ask(port, "/livez").body, "ok\n");
  ASSERT_TRUE(Eventually(SampleCrawl::kPatience,
                         [&] { return Metrics(port)["opic_phase{phase=\"finished\"}"] == 1; }));
  Samples metrics, status;
  EXPECT_TRUE(Eventually(SampleCrawl::kPatience, [&] {
    status = AsMetrics(crawl.Ask("status"));
    metrics = Metrics(port);
    return std::all_of(status.begin(), status.end(), [&](const auto& sample) {
      const auto found = metrics.find(sample.first);
      return found != metrics.end() && found->second == sample.second;
    });
  }));
  for (const auto& [name, value] : status) EXPECT_EQ(metrics[name], value) << name;
  EXPECT_GT(metrics["opic_requests_total"], 100);
  EXPECT_GE(metrics["opic_scheduler_orders_total"], metrics["opic_requests_total"]);
  EXPECT_EQ(metrics["opic_ready"], 1);
}

TEST(HttpStatusTest, APausedNodeIsNotReady) {
  SampleCrawl crawl(absl::Milliseconds(50));
  const auto node = StartNode(crawl, {"--http", "0"});
  const uint16_t port = HttpPort(*node);
  ExpectReady(port, 200);
  const std::string address = Between(*node, "answering on ", ";");
  ASSERT_EQ(Control(address, "pause").code, 0);
  ExpectReady(port, 503, "paused: ");
  const Response response = Ask(port, "/readyz?json");
  const json said = json::parse(response.body);
  EXPECT_EQ(said.at("ready"), false);
  EXPECT_EQ(said.at("reasons").at(0).at("code"), "paused");
  EXPECT_EQ(Ask(port, "/livez").status, 200);
  EXPECT_EQ(RunProgram("opic", {"health", "--node", address}).code, 0) << "it is meant";
  ASSERT_EQ(Control(address, "resume").code, 0);
  ExpectReady(port, 200);
}

TEST(HttpStatusTest, ADeadSchedulerIsAReason) {
  SampleCrawl crawl(absl::Milliseconds(200));
  Process scheduler({Program("opic-scheduler"), "--listen", "127.0.0.1:0", "--data",
                     crawl.folder() + "/scheduler", "--http", "127.0.0.1:0"},
                    {.output = crawl.folder() + "/scheduler.out"});
  const uint16_t scheduler_port = HttpPort(scheduler);
  ExpectReady(scheduler_port, 200);
  const std::string address = Between(scheduler, "scheduling on ", "\n");
  const auto node = StartNode(crawl, {"--http", "0", "--scheduler", address});
  const uint16_t port = HttpPort(*node);
  ExpectReady(port, 200);
  ASSERT_TRUE(Eventually(SampleCrawl::kPatience, [&] {
    return Metrics(scheduler_port)["opic_scheduler_outcomes_total"] > 0;
  }));
  EXPECT_FALSE(Metrics(port).contains("opic_scheduler_outcomes_total")) << "it is elsewhere";
  scheduler.Kill();
  ExpectReady(port, 503, "scheduler_away: ");
  EXPECT_EQ(Metrics(port)["opic_scheduler_away"], 1);
  EXPECT_EQ(Ask(port, "/livez").status, 200);
}

// Who asks a service that was not let in hears why.
TEST(HttpStatusTest, ARefusedNodeThatWaitsSaysWhy) {
  SampleCrawl crawl(absl::Milliseconds(50), 60, 5);
  const auto first = StartNode(crawl, {"--http", "0"});
  ExpectReady(HttpPort(*first), 200);
  Process second(NodeWords(crawl, {"--http", "0", "--hold-refused"}),
                 {.output = crawl.folder() + "/second.out"});
  const uint16_t port = HttpPort(second);
  ExpectReady(port, 503, "refused: it could not start: ");
  EXPECT_EQ(Ask(port, "/livez").status, 200) << "a restart would not help";
  second.Signal(SIGTERM);
  EXPECT_EQ(second.Wait(SampleCrawl::kPatience), 3) << second.output();
}

// Twelve pages a host, a second apart: it goes on for long enough to be asked, on a busy machine
// too.
TEST(HttpStatusTest, ACrawlServesUntilItsEnd) {
  SampleCrawl crawl(absl::Seconds(1), 60, 5);
  const auto running = crawl.Start({"--http", "localhost:0"});
  const uint16_t port = HttpPort(*running);
  EXPECT_TRUE(Eventually(SampleCrawl::kPatience, [&] { return Metrics(port)["opic_up"] == 1; }));
  ExpectReady(port, 200);
  EXPECT_EQ(running->Wait(SampleCrawl::kPatience), 0) << running->output();
}

TEST(HttpStatusTest, AnAddressThatIsTakenIsRefused) {
  SampleCrawl crawl(absl::Milliseconds(50), 60, 5);
  const auto node = StartNode(crawl, {"--http", "0"});
  const std::string port = std::to_string(HttpPort(*node));
  const Said second = RunProgram("opic-scheduler", {"--http", port, "--listen", "127.0.0.1:0",
                                                    "--data", crawl.folder() + "/s"});
  EXPECT_EQ(second.code, 6) << second.output;
  EXPECT_NE(second.output.find("cannot listen on 127.0.0.1:" + port), std::string::npos);
  const Said wrong = RunProgram("opic-node", {"--http", "a.example:1", "--check-config"});
  EXPECT_EQ(wrong.code, 2) << wrong.output;
}

}  // namespace
}  // namespace opic::scenarios
