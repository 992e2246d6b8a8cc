// A site that shows one article with another date, counter, token or advertisement at each URL,
// beside pages of one template that say different things: which are found to be near duplicates or
// similar (precision and recall), and who is paid.
#include <set>

#include "absl/strings/str_split.h"
#include "base/rng.h"
#include "tests/scenarios/site_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

constexpr int kSubjects = 8;  // of each kind of pages
constexpr int kVariants = 3;  // URLs of an article
// Of which all but the last are near duplicates.
const std::vector<std::string> kArticleKinds = {"date", "counter", "token", "ad"};
const std::string kSimilarKind = kArticleKinds.back();
const std::vector<std::string> kTemplateKinds = {"api", "news", "shop", "list"};

// As many words as one likes, the same for the same seed.
std::string SomeWords(uint64_t seed, int count) {
  base::Rng rng(seed);
  std::string words;
  for (int i = 0; i < count; ++i) words += " w" + std::to_string(rng.Below(3'000));
  return words;
}

std::string LinkTo(const std::string& href, const std::string& text = "more") {
  return " <a href='" + href + "'>" + text + "</a> ";
}

std::string InTemplate(const std::string& title, const std::string& content) {
  std::string page = "<title>" + title + " - the site</title><h1>" + title + "</h1>";
  for (int i = 0; i < 8; ++i) page += LinkTo("/menu/" + std::to_string(i), "menu");
  return page + content + "<p>All rights reserved." + SomeWords(1, 40) + "</p>";
}

std::string Article(const std::string& kind, int subject, int variant) {
  const std::string v = std::to_string(variant);
  std::string varying;
  if (kind == "date") varying = "Printed on 1" + v + " May 2026 ";
  if (kind == "counter") varying = std::to_string(1'000 + 37 * variant) + " readers";
  if (kind == "token") varying = "session " + std::string(16, static_cast<char>('1' + variant));
  if (kind == "ad") varying = LinkTo("/go/" + v, "Buy soap" + v);
  const uint64_t seed = 100 * subject + kind.size();
  return InTemplate(kind + std::to_string(subject),
                    SomeWords(seed, 70) + " " + varying + SomeWords(seed + 50, 90));
}

std::string TemplatePage(const std::string& kind, int subject) {
  const std::string name = kind + "name" + std::to_string(subject);
  const uint64_t seed = 10'000 + 100 * subject + kind.size();
  if (kind == "api") {
    return InTemplate(name, "<pre>int " + name + "(int)</pre> " + name + " returns" +
                                SomeWords(seed, 4) + " See also errors and limits.");
  }
  if (kind == "news") return InTemplate(name, "<p>" + SomeWords(seed, 15) + "</p>");
  if (kind == "shop") {
    return InTemplate(name, "<p>Order " + name + " now for " + std::to_string(5 + subject) +
                                " Euro. People who bought " + name + " were happy with it. " +
                                SomeWords(3, 60) + "</p>");
  }
  std::string links;
  for (int i = 0; i < 6; ++i) {
    const std::string item = std::to_string((3 * subject + i) % kSubjects);
    links += LinkTo("/date/" + item + "/0", "item" + item);
  }
  return InTemplate("Lists", SomeWords(4, 100) + links);
}

// "/KIND/SUBJECT" or "/KIND/SUBJECT/VARIANT"; /print/SUBJECT is /date/SUBJECT/0 without all that is
// around it. Nothing: 404.
std::optional<std::string> NearPageAt(const std::string& target) {
  if (target == "/") {
    std::string page = InTemplate("All", "");
    for (int subject = 0; subject < kSubjects; ++subject) {
      const std::string s = "/" + std::to_string(subject);
      for (const std::string& kind : kArticleKinds)
        for (int v = 0; v < kVariants; ++v)
          page += LinkTo("/" + kind + s + "/" + std::to_string(v));
      for (const std::string& kind : kTemplateKinds) page += LinkTo("/" + kind + s);
      page += LinkTo("/print" + s);
    }
    return page;
  }
  const size_t slash = target.find('/', 1);
  if (slash == std::string::npos) return std::nullopt;
  const std::string kind = target.substr(1, slash - 1);
  const int subject = std::atoi(target.c_str() + slash + 1);
  const int variant = std::atoi(target.c_str() + target.rfind('/') + 1);
  for (const std::string& known : kArticleKinds)
    if (kind == known) return Article(kind, subject, variant);
  for (const std::string& known : kTemplateKinds)
    if (kind == known) return TemplatePage(kind, subject);
  if (kind == "print") {
    const uint64_t seed = 100 * subject + 4;
    return SomeWords(seed, 70) + SomeWords(seed + 50, 90) + LinkTo("/");
  }
  return std::nullopt;
}

// Of the URLs that show one article; empty: it shows a page of its own.
std::string ArticleAt(const std::string& path) {
  for (const std::string& kind : kArticleKinds)
    if (path.starts_with("/" + kind + "/")) return path.substr(0, path.rfind('/'));
  return "";
}

class NearDuplicatesTest : public testing::Test {
 protected:
  Words CrawlWords(const std::string& data, const Words& more = {}) {
    return SiteCrawlWords(data, {server_.Url("/")}, more);
  }
  std::string PathOf(const std::string& url) const {
    return url.empty() ? "" : url.substr(server_.Url("").size());
  }
  std::set<std::string> Ranked(const std::string& data) {
    return RankedPaths(server_.Url(""), data);
  }
  // The page that each one is known to be alike, by path; `field`: in which way.
  std::map<std::string, std::string> Known(const std::string& data,
                                           const std::string& field = "near_duplicate_of") {
    Words words = {"importance", "--data", data};
    for (const HttpRequest& request : server_.requests())
      if (request.target != "/robots.txt") words.push_back(server_.Url(request.target));
    words.push_back("--json");
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << said.output;
    std::map<std::string, std::string> known;
    const std::vector<std::string> lines = absl::StrSplit(said.output, '\n', absl::SkipEmpty());
    for (const std::string& line : lines) {
      const nlohmann::json page = nlohmann::json::parse(line, nullptr, false);
      const std::string first = PathOf(page.value(field, ""));
      if (!first.empty()) known[PathOf(page["url"].get<std::string>())] = first;
    }
    return known;
  }
  void ExpectAllFoundAndNothingElse(const std::string& data) {
    const size_t kinds = kArticleKinds.size(), of_kind = size_t{kSubjects} * (kVariants - 1);
    EXPECT_EQ(Known(data).size(), (kinds - 1) * of_kind);
    EXPECT_EQ(Known(data, "similar_to").size(), of_kind);
    for (const std::string field : {"near_duplicate_of", "similar_to"}) {
      for (const auto& [page, first] : Known(data, field)) {
        EXPECT_NE(ArticleAt(page), "") << page << " is not alike " << first;
        EXPECT_EQ(ArticleAt(page), ArticleAt(first)) << page;
        EXPECT_EQ(page.starts_with("/" + kSimilarKind + "/"), field == "similar_to") << page;
      }
    }
  }

  HttpServer server_{[](const HttpRequest& request) {
    const std::optional<std::string> page = NearPageAt(request.target);
    return page ? Answer("200 OK", "Content-Type: text/html\r\n", *page)
                : Answer("404 Not Found", "", "");
  }};
  const std::string folder_ = FreshFolder();
};

TEST_F(NearDuplicatesTest, ShownTheyAreRankedEach) {
  const std::string data = folder_ + "/show";
  const Said said = RunProgram("opic", CrawlWords(data, {"--near-duplicates", "show"}));
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_NE(said.output.find("\nnear       48 pages are near"), std::string::npos) << said.output;
  EXPECT_NE(said.output.find("\nsimilar    16 pages of a"), std::string::npos) << said.output;
  ExpectAllFoundAndNothingElse(data);
  const std::map<std::string, std::string> known = Known(data);
  const std::set<std::string> ranked = Ranked(data);
  for (const auto& [page, first] : known) EXPECT_TRUE(ranked.contains(page)) << page;
  ExpectExact(data);
  ASSERT_FALSE(known.empty());
  const std::string page = known.begin()->first;
  const Said explained = RunProgram("opic", {"explain", server_.Url(page), "--data", data});
  EXPECT_NE(explained.output.find("The page that it is a near duplicate of: " +
                                  server_.Url(known.at(page))),
            std::string::npos)
      << explained.output;
}

TEST_F(NearDuplicatesTest, EachArticleIsRankedOnce) {
  const std::string data = folder_ + "/merge";
  ASSERT_EQ(RunProgram("opic", CrawlWords(data)).code, 0);
  const auto expect_once = [&] {
    ExpectAllFoundAndNothingElse(data);
    std::map<std::string, int> listed;  // by article
    std::set<std::string> alone;
    for (const std::string& path : Ranked(data)) {
      const std::string article = ArticleAt(path);
      article.empty() ? void(alone.insert(path)) : void(++listed[article]);
    }
    EXPECT_EQ(listed.size(), kArticleKinds.size() * kSubjects);
    for (const auto& [article, count] : listed)
      EXPECT_EQ(count, article.starts_with("/" + kSimilarKind + "/") ? kVariants : 1) << article;
    for (int subject = 0; subject < kSubjects; ++subject)
      for (const std::string kind : {"api", "news", "shop", "list", "print"})
        EXPECT_TRUE(alone.contains("/" + kind + "/" + std::to_string(subject))) << kind;
    ExpectExact(data);
  };
  expect_once();
  ASSERT_EQ(RunProgram("opic", CrawlWords(data, {"--again"})).code, 0);
  expect_once();
}

TEST_F(NearDuplicatesTest, AKilledCrawlFindsThemAllTheSame) {
  const std::string data = folder_ + "/killed";
  for (const size_t requests : {30, 70}) {
    Words words = CrawlWords(data, {"--in-flight", "2", "--workers", "1"});
    words.insert(words.begin(), Program("opic"));
    support::Process process(words, {.output = folder_ + "/killed.out"});
    ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
      return server_.requests().size() >= requests || !process.running();
    })) << process.output();
    process.Kill();
    EXPECT_EQ(RunProgram("opic", {"audit", "--data", data}).code, 0);
  }
  ASSERT_EQ(RunProgram("opic", CrawlWords(data)).code, 0);
  ExpectAllFoundAndNothingElse(data);
  ExpectExact(data);
}

TEST_F(NearDuplicatesTest, SwitchedOffNobodyLooksForThem) {
  const std::string data = folder_ + "/off";
  const Said said = RunProgram("opic", CrawlWords(data, {"--near-duplicates", "off"}));
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(said.output.find("\nnear "), std::string::npos) << said.output;
  EXPECT_TRUE(Known(data).empty());
  EXPECT_TRUE(Known(data, "similar_to").empty());
}

}  // namespace
}  // namespace opic::scenarios
