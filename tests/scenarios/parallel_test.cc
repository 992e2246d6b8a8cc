// Several requests to one host at a time: so many, never more, and no page twice.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

constexpr int kPages = 200;

// The first page leads to all others; each takes its time.
support::HttpReply WideHost(const support::HttpRequest& request) {
  if (request.target == "/robots.txt") return support::Answer("404 Not Found", "", "");
  std::string links;
  for (int i = 1; request.target == "/" && i < kPages; ++i)
    absl::StrAppend(&links, "<a href=/", i, ">x</a>");
  support::HttpReply reply = support::Answer("200 OK", "Content-Type: text/html\r\n", links);
  reply.delay = absl::Milliseconds(50);
  return reply;
}

class ParallelCrawlTest : public testing::Test {
 protected:
  Words WordsWith(const Words& more) const {
    Words words = {"crawl",
                   "http://a.test/",
                   "--data",
                   folder_ + "/data",
                   "--allow-private",
                   "--connect-to",
                   absl::StrCat("::127.0.0.1:", server_.port()),
                   "--no-settle"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  Said Crawl(const Words& more) const { return RunProgram("opic", WordsWith(more)); }
  // How many were under way when one began, at most. What a killed crawl had under way has ended by
  // the time in `killed`.
  size_t MostAtOnce(const std::vector<absl::Time>& killed = {}) const {
    std::vector<support::HttpRequest> requests = server_.requests();
    for (support::HttpRequest& request : requests) {
      const auto kill = std::lower_bound(killed.begin(), killed.end(), request.started);
      if (kill != killed.end()) request.ended = std::min(request.ended, *kill);
    }
    size_t most = 0;
    for (const support::HttpRequest& one : requests) {
      const auto under_way =
          std::count_if(requests.begin(), requests.end(), [&](const auto& other) {
            return other.started <= one.started && other.ended > one.started;
          });
      most = std::max(most, static_cast<size_t>(under_way));
    }
    return most;
  }
  void ExpectEachOnce() const {
    std::map<std::string, int> times;
    for (const support::HttpRequest& request : server_.requests()) ++times[request.target];
    EXPECT_EQ(times.size(), kPages + 1u);
    for (const auto& [target, asked] : times) EXPECT_EQ(asked, 1) << target;
  }

  const std::string folder_ = FreshFolder();
  support::HttpServer server_{WideHost};
};

TEST_F(ParallelCrawlTest, AHostHasSoManyAtOnceAndNeverMore) {
  const Said said = Crawl({"--delay", "0", "--per-host", "8"});
  EXPECT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(MostAtOnce(), 8u);
  ExpectEachOnce();
}

TEST_F(ParallelCrawlTest, TheDelayHoldsFromStartToStart) {
  constexpr absl::Duration kDelay = absl::Milliseconds(20);
  constexpr size_t kWidth = 8, kMany = 40;
  const Said said = Crawl({"--delay", "20ms", "--per-host", "8"});
  EXPECT_EQ(said.code, 0) << said.output;
  EXPECT_GT(MostAtOnce(), 1u) << "answers take longer than the delay";
  ExpectEachOnce();
  std::vector<absl::Time> started;
  for (const support::HttpRequest& request : server_.requests()) started.push_back(request.started);
  std::sort(started.begin(), started.end());
  EXPECT_GE(started.back() - started.front(), (kPages - 10) * kDelay);
  // A busy machine may bring together what was under way.
  for (size_t i = 0; i + kMany < started.size(); ++i)
    EXPECT_GE(started[i + kMany] - started[i], (kMany - kWidth) * kDelay - absl::Milliseconds(1));
  std::vector<absl::Duration> pauses;
  for (size_t i = 1; i < started.size(); ++i) pauses.push_back(started[i] - started[i - 1]);
  const auto middle = pauses.begin() + static_cast<ptrdiff_t>(pauses.size() / 2);
  std::nth_element(pauses.begin(), middle, pauses.end());
  EXPECT_GE(*middle, 0.75 * kDelay) << "half of the pauses are shorter";
}

// What was under way is asked for again, and nothing else; the host never has more than its width.
TEST_F(ParallelCrawlTest, KillsLoseNoPageAndAskNoHostForMore) {
  constexpr int kWidth = 8, kGroup = 64;  // visits that may not be synced yet
  const Words wide = {"--delay", "0", "--per-host", absl::StrCat(kWidth)};
  std::vector<absl::Time> killed;
  for (size_t seen = 0; killed.size() < 3; killed.push_back(support::WallTime())) {
    Words words = WordsWith(wide);
    words.insert(words.begin(), Program("opic"));
    support::Process process(words, {.output = folder_ + "/crawl.out"});
    ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
      return server_.requests().size() >= seen + 40 || !process.running();
    })) << process.output();
    ASSERT_TRUE(process.running()) << process.output();
    process.Kill();
    seen = server_.requests().size();
    EXPECT_EQ(RunProgram("opic", {"audit", "--data", folder_ + "/data"}).code, 0);
  }
  const Said said = Crawl(wide);
  EXPECT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", folder_ + "/data"}).code, 0);
  EXPECT_LE(MostAtOnce(killed), static_cast<size_t>(kWidth));
  std::map<std::string, int> times;
  size_t again = 0;
  for (const support::HttpRequest& request : server_.requests())
    again += ++times[request.target] > 1 && request.target != "/robots.txt" ? 1 : 0;
  EXPECT_EQ(times.size(), kPages + 1u);
  EXPECT_LE(again, killed.size() * (kWidth + kGroup));
  std::printf("%zu kills, %zu pages asked for again\n", killed.size(), again);
}

}  // namespace
}  // namespace opic::scenarios
