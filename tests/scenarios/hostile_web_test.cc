// A web of hosts that lie, stall and flood: the crawl ends, in bounded time, with every page
// counted somewhere.
#include "tests/fetch/gzip.h"
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

HttpReply Html(const std::string& body) {
  return Answer("200 OK", "Content-Type: text/html\r\n", body);
}

HttpReply Bomb() {
  static const std::string packed = fetch::Gzip(std::string(100 << 20, ' '));
  return Answer("200 OK", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", packed);
}

HttpReply Endless() {
  HttpReply reply{.bytes = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"};
  reply.then = HttpReply::Then::kRepeat;
  reply.repeat = std::string(16'384, 'x');
  return reply;
}

HttpReply Slow() {
  HttpReply reply = Html(std::string(100'000, 'x'));
  reply.drip_bytes = 1;
  reply.drip_pause = absl::Milliseconds(50);
  return reply;
}

// Each host has its own way of being hostile; silent.test does not even answer for its robots.txt.
HttpReply Hostile(const HttpRequest& request) {
  const std::string host = request.Header("Host");
  const auto is = [&](const std::string& name) { return host.rfind(name, 0) == 0; };
  if (is("silent.")) return {.then = HttpReply::Then::kSilence};
  if (request.target == "/robots.txt") return Answer("404 Not Found", "", "");
  if (is("endless.")) return Endless();
  if (is("slow.")) return Slow();
  if (is("garbage.")) return support::RawThenClose(std::string("\0\xff\x13garbage\r\n\r\n", 14));
  if (is("bomb.")) return Bomb();
  if (is("loop.")) {
    const std::string to = request.target == "/" ? "/again" : "/";
    return Answer("302 Found", "Location: " + to + "\r\n", "");
  }
  if (is("reset.")) return {.bytes = "HTTP/1.1 200 OK\r\n", .then = HttpReply::Then::kReset};
  return Html("<a href=/one>1</a><a href=/two>2</a>");
}

TEST(HostileWebTest, TheCrawlEndsAndEveryPageIsAccountedFor) {
  Bomb();  // made before anybody waits for it
  HttpServer server(Hostile);
  const std::string data = FreshFolder() + "/data";
  Words words = {"crawl",
                 "--data",
                 data,
                 "--scope",
                 "host",
                 "--delay",
                 "0s",
                 "--timeout",
                 "500ms",
                 "--attempts",
                 "1",
                 "--body-max",
                 "1M",
                 "--allow-private",
                 "--quiet",
                 "--connect-to",
                 "::127.0.0.1:" + std::to_string(server.port())};
  const Words hosts = {"good", "silent", "endless", "slow", "garbage", "bomb", "loop", "reset"};
  for (const std::string& host : hosts) words.push_back("http://" + host + ".test/");
  const Said said = RunProgram("opic", words);
  ASSERT_EQ(said.code, 0) << said.output;

  const auto state = [&](const std::string& url) {
    const Said page = RunProgram("opic", {"importance", url, "--data", data, "--json"});
    return nlohmann::json::parse(page.answer, nullptr, false).value("state", page.output);
  };
  EXPECT_EQ(state("http://good.test/two"), "fetched");
  EXPECT_EQ(state("http://endless.test/"), "fetched");  // what came before the limit
  EXPECT_EQ(state("http://bomb.test/"), "fetched");
  EXPECT_EQ(state("http://loop.test/again"), "redirect");
  for (const std::string host : {"silent", "slow", "garbage", "reset"}) {
    EXPECT_EQ(state("http://" + host + ".test/"), "failed") << host;
  }
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data}).code, 0);
}

// Fifty of them beside a web of twenty good hosts: it loses no page, and is asked as politely as
// ever. What they cost in pages a second: tests/bench/hostile_web.
TEST(HostileWebTest, AGoodWebAmongThemLosesNothing) {
  Bomb();
  HttpServer server(Hostile, {.record = false});
  SampleCrawl crawl(absl::Milliseconds(20));
  Words words = crawl.CrawlWords(
      {"--timeout", "500ms", "--attempts", "1", "--body-max", "1M", "--no-settle"});
  Words hostile;
  for (int host = 0; host < 50; ++host) {
    const Words kinds = {"silent", "endless", "slow", "garbage", "bomb", "loop", "reset"};
    const std::string name = kinds[host % kinds.size()] + ".h" + std::to_string(host) + ".test";
    hostile.insert(hostile.end(), {"http://" + name + "/", "--connect-to",
                                   name + "::127.0.0.1:" + std::to_string(server.port())});
  }
  // In front of the option that leads all other hosts to the web.
  words.insert(words.begin() + 2, hostile.begin(), hostile.end());
  const Said said = RunProgram("opic", words);
  ASSERT_EQ(said.code, 0) << said.output;
  crawl.ExpectReachableFetched();
  crawl.ExpectPolite();
  crawl.ExpectAuditIsExact();
  const nlohmann::json status = crawl.Ask("status");
  EXPECT_EQ(status["unread"], 0) << status;
}

}  // namespace
}  // namespace opic::scenarios
