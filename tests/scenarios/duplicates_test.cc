// A site that shows one content under several URLs, beside pages that only look alike: which are
// found to be duplicates (precision and recall), who is paid, and what a kill -9 leaves of it.
#include <set>

#include "tests/scenarios/site_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

constexpr int kDuplicated = 12;
constexpr int kDead = 6;
constexpr int kAlike = 6;  // pages of each kind that only look alike

// Words as long as a page needs to be a duplicate at all.
std::string Text(const std::string& about) {
  std::string text = "<p>About " + about + ".";
  for (int line = 0; line < 12; ++line) text += " A sentence that many pages of a site have.";
  return text + "</p>";
}

std::string A(const std::string& href) { return "<a href='" + href + "'>x</a>"; }

std::string Menu(const std::string& session) {
  return A("/" + session) + A("/photos" + session) + "<a href='#top'>top</a>";
}

// What a URL of the site shows; nothing: 404.
//
//   /, /?sid=7, /index.html               one page, as are /photos and /photos?sid=7
//   /article/N, /article/N?sid=7, /old/N  one page; the links of the second carry the session
//   /dead/N                               one page: "not found", with 200
//   /photo/N  no text, /list/N  other links, /news/N  another word, /paper/N  a canonical
std::optional<std::string> PageAt(const std::string& target) {
  const std::string path = target.substr(0, target.find('?')), session = target.substr(path.size());
  if (path == "/" || path == "/index.html") {
    std::string page = Text("the site") + A("/index.html") + Menu("");
    for (int i = 0; i < kDuplicated; ++i) page += A("/article/" + std::to_string(i));
    return page;
  }
  if (path == "/photos") {
    std::string page = Text("photos") + Menu("");
    for (int i = 0; i < kAlike; ++i) {
      const std::string n = std::to_string(i);
      page += A("/photo/" + n) + A("/list/" + n) + A("/news/" + n) + A("/paper/" + n);
    }
    return page;
  }
  const size_t slash = path.rfind('/');
  const std::string kind = path.substr(0, slash), n = path.substr(slash + 1);
  if (kind == "/article" || kind == "/old") {
    const int number = std::atoi(n.c_str());
    return "<title>" + n + "</title>" + Text("article " + n) + Menu(session) +
           A("/article/" + n + "?sid=7") + A("/old/" + n) +
           A("/article/" + std::to_string((number + 1) % kDuplicated) + session) +
           A("/dead/" + std::to_string(number % kDead));
  }
  if (kind == "/dead") return Text("what was not found") + Menu("");
  if (kind == "/photo") return "<img src=/image/" + n + ".png>" + Menu("");
  if (kind == "/list") return Text("lists") + Menu("") + A("/article/" + n);
  if (kind == "/news") return Text("day " + n) + Menu("");
  if (kind == "/paper")
    return "<link rel=canonical href='/paper/" + n + "'>" + Text("papers") + Menu("");
  return std::nullopt;
}

// Of the group of URLs that show one page; empty: it shows a page of its own.
std::string GroupOf(const std::string& target) {
  const std::string path = target.substr(0, target.find('?'));
  if (path == "/" || path == "/index.html") return "home";
  if (path == "/photos") return "photos";
  if (path.starts_with("/dead/")) return "dead";
  if (path.starts_with("/article/")) return "article" + path.substr(9);
  if (path.starts_with("/old/")) return "article" + path.substr(5);
  return "";
}

class DuplicatesTest : public testing::Test {
 protected:
  Words CrawlWords(const std::string& data, const Words& more = {}) {
    return SiteCrawlWords(data, {server_.Url("/")}, more);
  }
  // Paths of the pages that `opic top` lists.
  std::set<std::string> Ranked(const std::string& data) {
    return RankedPaths(server_.Url(""), data);
  }
  std::set<std::string> Asked() {
    std::set<std::string> paths;
    for (const HttpRequest& request : server_.requests())
      if (request.target != "/robots.txt") paths.insert(request.target);
    return paths;
  }
  // Of each group of URLs one is ranked, and so is every page that only looks alike.
  void ExpectEachContentRankedOnce(const std::string& data) {
    const std::set<std::string> asked = Asked(), ranked = Ranked(data);
    std::map<std::string, int> urls, listed;  // by group
    int duplicates = 0, found = 0, wrong = 0;
    for (const std::string& path : asked) {
      const std::string group = GroupOf(path);
      if (!group.empty() && urls[group]++ > 0) ++duplicates;
      if (!ranked.contains(path)) ++(group.empty() ? wrong : found);
      if (!group.empty() && ranked.contains(path)) ++listed[group];
    }
    for (const auto& [group, count] : urls) EXPECT_EQ(listed[group], 1) << group;
    EXPECT_EQ(duplicates, 2 + 1 + 2 * kDuplicated + kDead - 1);
    EXPECT_EQ(found, duplicates) << "recall";
    EXPECT_EQ(wrong, 0) << "precision";
  }

  HttpServer server_{[](const HttpRequest& request) {
    const std::optional<std::string> page = PageAt(request.target);
    return page ? Answer("200 OK", "Content-Type: text/html\r\n", *page)
                : Answer("404 Not Found", "", "");
  }};
  const std::string folder_ = FreshFolder();
};

TEST_F(DuplicatesTest, EachContentIsRankedOnceAndTheFirstPageIsPaid) {
  const std::string data = folder_ + "/merge";
  const Said said = RunProgram("opic", CrawlWords(data));
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_NE(said.output.find("\nduplicates "), std::string::npos) << said.output;
  ExpectEachContentRankedOnce(data);
  ExpectExact(data);

  const std::set<std::string> ranked = Ranked(data);
  const std::string duplicate = ranked.contains("/old/3") ? "/article/3" : "/old/3";
  const nlohmann::json page = Json({"importance", server_.Url(duplicate), "--data", data});
  EXPECT_EQ(page["links"], 1);
  EXPECT_EQ(page["http_status"], 200);
  const std::string first = page["duplicate_of"];
  EXPECT_TRUE(ranked.contains(first.substr(server_.Url("").size()))) << first;
  const std::string explained =
      RunProgram("opic", {"explain", server_.Url(duplicate), "--data", data}).output;
  EXPECT_NE(explained.find("The first page with its content: " + first), std::string::npos)
      << explained;

  // Read once more, all stays as it is.
  ASSERT_EQ(RunProgram("opic", CrawlWords(data, {"--again"})).code, 0);
  ExpectEachContentRankedOnce(data);
  ExpectExact(data);
}

TEST_F(DuplicatesTest, ShownTheyAreRankedAndExplained) {
  const std::string data = folder_ + "/show";
  const Said said = RunProgram("opic", CrawlWords(data, {"--duplicates", "show"}));
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_NE(said.output.find("\nduplicates "), std::string::npos) << said.output;
  EXPECT_EQ(Ranked(data), Asked());
  ExpectExact(data);
  int named = 0;
  for (const char* path : {"/article/3", "/old/3", "/article/3?sid=7"})
    named += Json({"importance", server_.Url(path), "--data", data}).contains("duplicate_of");
  EXPECT_EQ(named, 2);
}

TEST_F(DuplicatesTest, SwitchedOffNobodyLooksForThem) {
  const std::string data = folder_ + "/off";
  const Said said = RunProgram("opic", CrawlWords(data, {"--duplicates", "off"}));
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(said.output.find("\nduplicates "), std::string::npos) << said.output;
  EXPECT_EQ(Ranked(data), Asked());
}

TEST_F(DuplicatesTest, AKilledCrawlFindsThemAllTheSame) {
  const std::string data = folder_ + "/killed";
  for (const size_t requests : {15, 30, 45}) {
    Words words = CrawlWords(data, {"--in-flight", "2", "--workers", "1"});
    words.insert(words.begin(), Program("opic"));
    support::Process process(words, {.output = folder_ + "/killed.out"});
    ASSERT_TRUE(support::Eventually(SampleCrawl::kPatience, [&] {
      return server_.requests().size() >= requests || !process.running();
    })) << process.output();
    process.Kill();
    const Said audit = RunProgram("opic", {"audit", "--data", data});
    EXPECT_EQ(audit.code, 0) << audit.output;
  }
  const Said said = RunProgram("opic", CrawlWords(data));
  ASSERT_EQ(said.code, 0) << said.output;
  ExpectEachContentRankedOnce(data);
  ExpectExact(data);
}

TEST_F(DuplicatesTest, AnUnknownUseIsRefused) {
  const Said wrong = RunProgram("opic", CrawlWords(folder_ + "/wrong", {"--duplicates", "fold"}));
  EXPECT_EQ(wrong.code, 2) << wrong.output;
  EXPECT_NE(wrong.output.find("merge, show, off"), std::string::npos) << wrong.output;
}

}  // namespace
}  // namespace opic::scenarios
