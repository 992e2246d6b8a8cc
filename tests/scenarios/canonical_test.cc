// A site of articles, each with a print view that names the article as its canonical: the print
// views are read, their links are followed, and the articles have their cash.
#include "tests/scenarios/site_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

constexpr int kArticles = 10;

HttpReply ArticlePage(const std::string& page, const std::string& header = "") {
  return Answer("200 OK", "Content-Type: text/html\r\n" + header, page);
}

// "/article/3" or "/print/3"; nobody but print views links to "/imprint".
HttpReply SiteOfArticles(const HttpRequest& request) {
  const std::string& target = request.target;
  if (target == "/") {
    std::string page;
    for (int i = 0; i < kArticles; ++i) page += "<a href=/article/" + std::to_string(i) + ">x</a>";
    return ArticlePage(page);
  }
  if (target == "/imprint") return ArticlePage("<a href=/>home</a>");
  const size_t number = target.find_last_of('/') + 1;
  if (target.size() != number + 1 || target[number] < '0' || target[number] > '9')
    return Answer("404 Not Found", "", "");
  const int article = target[number] - '0';
  const std::string own = target.substr(number);
  const std::string next = std::to_string((article + 1) % kArticles);
  const std::string links = "<a href=/>home</a><a href=/article/" + next + ">next</a>";
  if (target.starts_with("/article/"))
    return ArticlePage(links + "<a href=/print/" + own + ">print</a>");
  if (!target.starts_with("/print/")) return Answer("404 Not Found", "", "");
  const std::string body = links + "<a href=/imprint>imprint</a>";
  if (article % 2 == 0)
    return ArticlePage("<link rel=canonical href='../article/" + own + "'>" + body);
  return ArticlePage(body, "Link: </article/" + own + ">; rel=\"canonical\"\r\n");
}

class CanonicalTest : public testing::Test {
 protected:
  Said Crawl(const std::string& data, const Words& more = {}) {
    return RunProgram("opic", SiteCrawlWords(data, {server_.Url("/")}, more));
  }
  nlohmann::json Page(const std::string& data, const std::string& path) {
    return Json({"importance", server_.Url(path), "--data", data});
  }
  static void ExpectAllKnownAndExact(const std::string& data) {
    EXPECT_EQ(Json({"compare", "--data", data})["pages"], 2 * kArticles + 2);
    ExpectExact(data);
  }

  HttpServer server_{SiteOfArticles};
  const std::string folder_ = FreshFolder();
};

TEST_F(CanonicalTest, PrintViewsPassAllTheirCashToTheirArticles) {
  const std::string on = folder_ + "/on", off = folder_ + "/off";
  const Said said = Crawl(on);
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_NE(said.output.find("canonical  10 pages paid"), std::string::npos) << said.output;
  const Said without = Crawl(off, {"--canonical", "off"});
  ASSERT_EQ(without.code, 0) << without.output;
  EXPECT_EQ(without.output.find("canonical  "), std::string::npos) << without.output;
  ExpectAllKnownAndExact(on);
  ExpectAllKnownAndExact(off);

  // It was found, by links that pay it nothing.
  const nlohmann::json imprint = Page(on, "/imprint");
  EXPECT_EQ(imprint["state"], "fetched");
  EXPECT_NEAR(imprint["relative"].get<double>(), 0.15, 0.02)
      << "no more than what a page is born with";
  EXPECT_GT(Page(off, "/imprint")["relative"].get<double>(), 0.3);
  for (const char* article : {"/article/3", "/article/4"}) {
    EXPECT_GT(Page(on, article)["importance"].get<double>(),
              1.05 * Page(off, article)["importance"].get<double>())
        << article;
  }

  const nlohmann::json top = Json({"top", "--count", "50", "--data", on});
  EXPECT_EQ(top["pages"].size(), kArticles + 2);
  for (const nlohmann::json& page : top["pages"])
    EXPECT_EQ(page["url"].get<std::string>().find("/print/"), std::string::npos) << page;
  for (const char* own : {"3", "4"}) {
    const nlohmann::json print = Page(on, std::string("/print/") + own);
    EXPECT_EQ(print["canonical"], server_.Url(std::string("/article/") + own));
    EXPECT_EQ(print["http_status"], 200);
    EXPECT_EQ(print["links"], 1);
  }
  const std::string explained =
      RunProgram("opic", {"explain", server_.Url("/print/3"), "--data", on}).output;
  EXPECT_NE(explained.find("Its canonical: " + server_.Url("/article/3")), std::string::npos)
      << explained;
}

TEST_F(CanonicalTest, AnUnknownRuleIsRefused) {
  const Said wrong = Crawl(folder_ + "/wrong", {"--canonical", "any"});
  EXPECT_EQ(wrong.code, 2) << wrong.output;
  EXPECT_NE(wrong.output.find("--canonical"), std::string::npos) << wrong.output;
  EXPECT_NE(wrong.output.find("site, off"), std::string::npos) << wrong.output;
}

}  // namespace
}  // namespace opic::scenarios
