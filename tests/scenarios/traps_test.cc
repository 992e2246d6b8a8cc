// A site of articles with three traps in it: a relative link that piles up in the path, a query
// that grows, a calendar that goes on for ever. By the rules a crawl ends by itself, and has read
// every article; without them it spends what it may on the traps.
#include <csignal>

#include "absl/strings/match.h"
#include "absl/time/civil_time.h"
#include "absl/time/clock.h"
#include "tests/scenarios/site_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

constexpr int kRealPages = 30;
constexpr int kPagesMax = 300;

std::string To(const std::string& target) { return "<a href='" + target + "'>x</a>"; }

std::string Calendar(absl::CivilMonth month) {
  return "/calendar?year=" + std::to_string(month.year()) +
         "&month=" + std::to_string(month.month());
}
// "/calendar?year=2026&month=11"
absl::CivilMonth MonthOf(const std::string& target) {
  return absl::CivilMonth(std::atoi(target.c_str() + target.find("year=") + 5),
                          std::atoi(target.c_str() + target.find("month=") + 6));
}

HttpReply SiteWithTraps(const HttpRequest& request) {
  const std::string& target = request.target;
  const auto page = [](const std::string& body) {
    return Answer("200 OK", "Content-Type: text/html\r\n", To("/") + body);
  };
  if (target.starts_with("/docs/")) return page(To("docs/"));
  if (target.starts_with("/search?")) return page(To(target + "&tag=new"));
  if (target.starts_with("/calendar?")) return page(To(Calendar(MonthOf(target) + 1)));
  if (target.starts_with("/article/")) {
    const int next = std::atoi(target.c_str() + 9) + 1;
    return page(To("/article/" + std::to_string(next % kRealPages)) + To("/docs/"));
  }
  if (target != "/") return Answer("404 Not Found", "", "");
  std::string links = To("/docs/") + To("/search?tag=new") +
                      To(Calendar(absl::ToCivilMonth(absl::Now(), absl::UTCTimeZone())));
  for (int i = 0; i < kRealPages; ++i) links += To("/article/" + std::to_string(i));
  return page(links);
}

class TrapsTest : public testing::Test {
 protected:
  Said Crawl(const std::string& data, const Words& more) {
    return RunProgram("opic", SiteCrawlWords(data, {}, more));
  }
  std::string StateOf(const std::string& data, const std::string& path) {
    return Json({"importance", server_.Url(path), "--data", data})["state"];
  }
  // Requests since the last call: of articles, and of the traps.
  struct Hits {
    int articles = 0, traps = 0;
  };
  Hits NewHits() {
    Hits hits;
    const std::vector<HttpRequest> requests = server_.requests();
    for (; counted_ < requests.size(); ++counted_) {
      const std::string& target = requests[counted_].target;
      if (target == "/" || target.starts_with("/article/")) ++hits.articles;
      for (const char* trap : {"/docs/", "/search?", "/calendar?"}) {
        if (target.starts_with(trap)) ++hits.traps;
      }
    }
    return hits;
  }

  HttpServer server_{SiteWithTraps};
  const std::string folder_ = FreshFolder();
  size_t counted_ = 0;
};

TEST_F(TrapsTest, ACrawlEndsByItselfAndHasReadAllArticles) {
  const std::string data = folder_ + "/skip";
  const Said said = Crawl(data, {server_.Url("/")});
  ASSERT_EQ(said.code, 0) << said.output;
  const Hits hits = NewHits();
  EXPECT_EQ(hits.articles, kRealPages + 1);
  // Three of the path, three of the query, and the months of three years and this one.
  EXPECT_GE(hits.traps, 6 + 3 * 12 + 1);
  EXPECT_LE(hits.traps, 6 + 4 * 12 + 1) << "the year may have changed meanwhile";
  EXPECT_NE(said.output.find("3 not fetched: 1 repeated_segments, 1 repeated_parameter, 1 "
                             "future_date"),
            std::string::npos)
      << said.output;

  EXPECT_EQ(StateOf(data, "/docs/docs/docs/"), "fetched");
  EXPECT_EQ(StateOf(data, "/docs/docs/docs/docs/"), "out_of_scope");
  const nlohmann::json explained =
      Json({"explain", server_.Url("/docs/docs/docs/docs/"), "--data", data});
  EXPECT_EQ(explained["trap"], "repeated_segments") << explained;
  EXPECT_TRUE(absl::StrContains(explained["explanation"].get<std::string>(), "--traps"));

  const nlohmann::json hosts = Json({"hosts", "--traps", "--data", data});
  ASSERT_EQ(hosts["hosts"].size(), 1u) << hosts;
  EXPECT_EQ(hosts["hosts"][0]["host"], "127.0.0.1");
  EXPECT_EQ(hosts["hosts"][0]["skipped"], 3);
  EXPECT_EQ(hosts["hosts"][0]["traps"]["future_date"]["pages"], 1);
  EXPECT_EQ(hosts["hosts"][0]["traps"]["repeated_segments"]["example"],
            server_.Url("/docs/docs/docs/docs/"));

  // On-line and off-line rank the same web.
  const nlohmann::json compared = Json({"compare", "--data", data});
  EXPECT_EQ(compared["pages"], hits.articles + hits.traps + 3);
  EXPECT_LT(compared["error_percent"].get<double>(), 2) << compared;
  for (const char* check : {"audit", "verify"})
    EXPECT_EQ(RunProgram("opic", {check, "--data", data}).code, 0) << check;

  // Loosened, what was skipped is to be fetched.
  EXPECT_EQ(Json({"status", "--data", data})["by_state"]["out_of_scope"], 3);
  const Said loosened =
      Crawl(data, {"--traps", "show", "--pages", std::to_string(hits.articles + hits.traps + 20)});
  ASSERT_EQ(loosened.code, 0) << loosened.output;
  EXPECT_GE(NewHits().traps, 15);
}

TEST_F(TrapsTest, WithoutTheRulesItSpendsAllItMayOnThem) {
  const std::string data = folder_ + "/off";
  const Said said =
      Crawl(data, {server_.Url("/"), "--traps", "off", "--pages", std::to_string(kPagesMax)});
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_GE(NewHits().traps, kPagesMax - kRealPages - 10);
  EXPECT_EQ(said.output.find("traps  "), std::string::npos) << said.output;
  EXPECT_GT(Json({"status", "--data", data})["unread"], 0);
}

TEST_F(TrapsTest, ASeedIsReadWhateverItsUrl) {
  const std::string data = folder_ + "/seed";
  const std::string deep = "/docs/docs/docs/docs/docs/";
  const Said said = Crawl(data, {server_.Url(deep)});
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(StateOf(data, deep), "fetched");
  EXPECT_EQ(StateOf(data, deep + "docs/"), "out_of_scope");
  // It was skipped, and becomes a seed.
  const Said more = Crawl(data, {server_.Url(deep + "docs/")});
  ASSERT_EQ(more.code, 0) << more.output;
  EXPECT_EQ(StateOf(data, deep + "docs/"), "fetched");
  EXPECT_EQ(StateOf(data, deep + "docs/docs/"), "out_of_scope");
}

// Its links to pages that are not there any more are answered with 200 and an excuse; an old URL
// redirects in a circle.
HttpReply SiteOfExcuses(const HttpRequest& request) {
  const std::string& target = request.target;
  if (target == "/old") return Answer("302 Found", "Location: /older\r\n", "");
  if (target == "/older") return Answer("302 Found", "Location: /old\r\n", "");
  if (target == "/robots.txt") return Answer("404 Not Found", "", "");
  std::string body = "We are sorry." + To("/");
  if (target == "/") {
    body = To("/old");
    for (int i = 0; i < kRealPages; ++i) body += To("/gone/" + std::to_string(i));
  }
  return Answer("200 OK", "Content-Type: text/html\r\n", body);
}

TEST_F(TrapsTest, HostsThatExcuseThemselvesAreShown) {
  HttpServer server{SiteOfExcuses};
  const std::string data = folder_ + "/excuses";
  const Said said = Crawl(data, {server.Url("/")});
  ASSERT_EQ(said.code, 0) << said.output;
  const nlohmann::json hosts = Json({"hosts", "--traps", "--data", data});
  ASSERT_EQ(hosts["hosts"].size(), 1u) << hosts;
  const nlohmann::json& host = hosts["hosts"][0];
  EXPECT_EQ(host["by_state"]["fetched"], kRealPages + 1) << host;
  EXPECT_EQ(host["same_content"]["pages"], kRealPages) << host;
  EXPECT_EQ(host["long_redirects"]["pages"], 2) << host;
  const Said told = RunProgram("opic", {"hosts", "--traps", "--data", data});
  EXPECT_NE(told.output.find("same content: 30 of 31 fetched pages (soft 404?)"), std::string::npos)
      << told.output;
  // A crawl's setting of that name says nothing here.
  const Said all =
      RunProgram("opic", {"hosts", "--data", data}, {.environment = {"OPIC_TRAPS=skip"}});
  EXPECT_EQ(all.code, 0) << all.output;
  EXPECT_EQ(all.output.find("same content"), std::string::npos) << all.output;
  EXPECT_NE(all.output.find("127.0.0.1"), std::string::npos) << all.output;
  EXPECT_EQ(RunProgram("opic", {"hosts", "--data", folder_ + "/none"}).code, 5);
}

// Its excuses are long, and name what was asked for.
HttpReply SiteOfLongExcuses(const HttpRequest& request) {
  if (request.target == "/robots.txt") return Answer("404 Not Found", "", "");
  std::string body;
  for (int i = 0; i < kRealPages; ++i) body += To("/gone/" + std::to_string(i));
  if (request.target != "/") {
    body = To("/") + "There is no " + request.target + ".";
    for (int word = 0; word < 200; ++word) body += " sorry" + std::to_string(word);
  }
  return Answer("200 OK", "Content-Type: text/html\r\n", body);
}

// Of a node that runs nothing was told of pages that are nearly the same.
TEST_F(TrapsTest, HostsThatExcuseThemselvesAtLengthAreShown) {
  HttpServer server{SiteOfLongExcuses};
  const std::string data = folder_ + "/long_excuses";
  support::Process crawl({Program("opic"), "crawl", server.Url("/"), "--data", data, "--delay",
                          "0s", "--allow-private", "--no-settle", "--stay"},
                         {.output = folder_ + "/crawl.out"});
  const auto expect_told = [&](const std::string& by) {
    const Said told = RunProgram("opic", {"hosts", "--traps", "--data", data});
    EXPECT_NE(told.output.find("same content, of 29 nearly: 30 of 31 fetched pages (soft 404?)"),
              std::string::npos)
        << by << ": " << told.output;
  };
  ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
    const Said status = RunProgram("opic", {"status", "--data", data, "--json"});
    return status.code == 0 && nlohmann::json::parse(status.answer)["phase"] == "finished";
  })) << crawl.output();
  expect_told("a running node");
  crawl.Signal(SIGINT);
  ASSERT_TRUE(crawl.Wait(SampleCrawl::kPatience)) << crawl.output();
  expect_told("a folder at rest");
}

TEST_F(TrapsTest, AnUnknownUseIsRefused) {
  const Said wrong = Crawl(folder_ + "/wrong", {server_.Url("/"), "--traps", "refuse"});
  EXPECT_EQ(wrong.code, 2) << wrong.output;
  EXPECT_NE(wrong.output.find("off, show, skip"), std::string::npos) << wrong.output;
}

}  // namespace
}  // namespace opic::scenarios
