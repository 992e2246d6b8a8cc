// Hosts that make pages without end, among good ones: each gets its budget, over a kill -9, and the
// good ones are read to their end.
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

constexpr int kGoodHosts = 3, kGoodPages = 12;
constexpr size_t kBudget = 30;  // more than a good host has

std::string Link(const std::string& to) { return "<a href=\"" + to + "\">x</a>"; }

// trap.test: every page leads to two others that nobody saw before. 1.farm.test and so on: the page
// of each host leads to two other hosts. The others: kGoodPages pages, and no more.
HttpReply Web(const HttpRequest& request) {
  if (request.target == "/robots.txt") return Answer("404 Not Found", "", "");
  const std::string host = request.Header("Host");
  const std::string here = request.target.substr(1);
  std::string body;
  if (host.rfind("trap.", 0) == 0) {
    body = Link("/" + here + "a") + Link("/" + here + "b");
  } else if (host.find(".farm.test") != std::string::npos) {
    const int number = std::atoi(host.c_str());
    for (int next : {2 * number, 2 * number + 1})
      body += Link("http://" + std::to_string(next) + ".farm.test/");
  } else {
    for (int i = 1; i < kGoodPages; ++i) body += Link("/" + std::to_string(i));
  }
  return Answer("200 OK", "Content-Type: text/html\r\n", body);
}

class HostBudgetTest : public testing::Test {
 protected:
  Words CrawlWords(const Words& more) const {
    Words words = {"crawl",        "--data",
                   data_,          "--scope",
                   "any",          "--delay",
                   "10ms",         "--allow-private",
                   "--host-pages", std::to_string(kBudget),
                   "--connect-to", "::127.0.0.1:" + std::to_string(server_.port())};
    for (int i = 0; i < kGoodHosts; ++i)
      words.push_back("http://good" + std::to_string(i) + ".test/");
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Of pages, of all hosts with this in their name.
  size_t Hits(const std::string& host) const {
    size_t hits = 0;
    for (const HttpRequest& request : server_.requests())
      hits +=
          request.target != "/robots.txt" && request.Header("Host").find(host) != std::string::npos;
    return hits;
  }
  nlohmann::json Status() const {
    const Said said = RunProgram("opic", {"status", "--data", data_, "--json"});
    EXPECT_EQ(said.code, 0) << said.output;
    return nlohmann::json::parse(said.answer, nullptr, /*allow_exceptions=*/false);
  }

  const std::string folder_ = FreshFolder();
  const std::string data_ = folder_ + "/data";
  HttpServer server_{Web};
};

TEST_F(HostBudgetTest, ATrapGetsItsBudgetOverAKillAndTheGoodHostsAreReadWhole) {
  const Words words = CrawlWords({"http://trap.test/"});
  {
    Words program = words;
    program.insert(program.begin(), Program("opic"));
    support::Process process(program, {.output = folder_ + "/first.out"});
    EXPECT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
      return Hits("trap.") > kBudget / 2 || !process.running();
    })) << process.output();
    process.Kill();
  }
  const Said ended = RunProgram("opic", words);
  ASSERT_EQ(ended.code, 0) << ended.output;  // it does not wait for a budget
  EXPECT_NE(ended.output.find("past their budgets"), std::string::npos) << ended.output;
  const nlohmann::json status = Status();
  EXPECT_EQ(status["by_state"]["fetched"], kGoodHosts * kGoodPages + kBudget);
  EXPECT_EQ(status["unread"], kBudget + 1) << "each page of the trap has made one more than it is";
  EXPECT_LE(Hits("trap."), 2 * kBudget) << "what was lost with the process was asked for again";
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data_}).code, 0);

  // Once more: nothing is asked of it. Then with a budget of its own.
  const size_t before = Hits("trap.");
  ASSERT_EQ(RunProgram("opic", words).code, 0);
  EXPECT_EQ(Hits("trap."), before);
  const Said more = RunProgram("opic", {"control", "host", "http://trap.test/", "--pages",
                                        std::to_string(kBudget + 7), "--data", data_});
  ASSERT_EQ(more.code, 0) << more.output;
  EXPECT_NE(more.output.find("at most 37 pages"), std::string::npos) << more.output;
  ASSERT_EQ(RunProgram("opic", words).code, 0);
  EXPECT_EQ(Hits("trap."), before + 7);
  EXPECT_EQ(Status()["by_state"]["fetched"], kGoodHosts * kGoodPages + kBudget + 7);
}

TEST_F(HostBudgetTest, AFarmOfHostsGetsTheBudgetOfItsDomain) {
  const Said ended =
      RunProgram("opic", CrawlWords({"--domain-pages", "20", "http://1.farm.test/"}));
  ASSERT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(Hits(".farm.test"), 20u);
  EXPECT_EQ(Hits("good"), size_t{kGoodHosts * kGoodPages});
}

TEST_F(HostBudgetTest, BytesAreABudgetToo) {
  const Said ended = RunProgram("opic", CrawlWords({"--host-bytes", "1K", "http://trap.test/"}));
  ASSERT_EQ(ended.code, 0) << ended.output;
  EXPECT_GE(Hits("trap."), 2u);
  EXPECT_LT(Hits("trap."), kBudget) << "an answer has more than a hundred bytes";
}

}  // namespace
}  // namespace opic::scenarios
