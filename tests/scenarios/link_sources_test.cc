// A site whose pages are each reached by one kind of link alone: which of them a crawl finds, as it
// is and when it is told to follow more, or less.
#include <set>

#include "absl/strings/str_cat.h"
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;
using Paths = std::set<std::string>;

HttpReply Html(const std::string& body, const std::string& headers = "") {
  return Answer("200 OK", headers + "Content-Type: text/html\r\n", body);
}

const std::string kHome =
    "<div><template shadowrootmode=open><a href=/by/shadow>x</a></template></div>"
    "<template><a href=/by/template>x</a></template>"
    "<object data=/by/object></object><embed src=/by/embed>"
    "<form action='/by/get?no=field'></form><form action=/by/post method=post></form>"
    "<a rel=ugc href=/by/ugc>x</a><a rel=sponsored href=/by/sponsored>x</a>"
    "<a rel=nofollow href=/by/nofollow>x</a>"
    "<link rel=alternate type=application/feed+json href=/feed.json>";

class LinkSourcesTest : public testing::Test {
 protected:
  // What was asked for below /by/.
  Paths Found(const Words& more = {}) {
    const std::string data = absl::StrCat(folder_, "/", ++crawls_);
    Words words = {"crawl", server_.Url("/"),  "--data",     data, "--delay",
                   "0s",    "--allow-private", "--no-settle"};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.code, 0) << said.output;
    Paths found;
    const std::vector<HttpRequest> requests = server_.requests();
    for (; seen_ < requests.size(); ++seen_) {
      const std::string& target = requests[seen_].target;
      if (target.starts_with("/by/")) found.insert(target.substr(4));
    }
    return found;
  }

  HttpReply Serve(const HttpRequest& request) const {
    const std::string& target = request.target;
    const auto text = [](const std::string& type, const std::string& body) {
      return Answer("200 OK", "Content-Type: " + type + "\r\n", body);
    };
    if (target == "/robots.txt")
      return text("text/plain", "Sitemap: " + server_.Url("/sitemap.txt") + "\n");
    if (target == "/sitemap.txt") return text("text/plain", server_.Url("/by/list") + "\r\n");
    if (target == "/feed.json") {
      return text("application/feed+json",
                  R"({"version": "https://jsonfeed.org/version/1.1", "items": [)"
                  R"({"url": "\/by\/feed", "image": "/by/image"}]})");
    }
    if (target == "/") {
      return Html(kHome,
                  "Link: </by/link>; rel=next, </by/style>; rel=stylesheet\r\n"
                  "Refresh: 5; url=/by/refresh\r\n");
    }
    return Html("<p>Here it is: " + target);
  }

  HttpServer server_{[this](const HttpRequest& request) { return Serve(request); }};
  const std::string folder_ = FreshFolder();
  int crawls_ = 0;
  size_t seen_ = 0;  // requests
};

TEST_F(LinkSourcesTest, EachIsFollowedAsItIsToldTo) {
  const Paths always = {"shadow", "feed", "list", "link", "refresh"};
  Paths with_ugc = always;
  with_ugc.insert({"ugc", "sponsored"});
  EXPECT_EQ(Found(), with_ugc);
  EXPECT_EQ(Found({"--nofollow-rel", "ugc", "--nofollow-rel", "sponsored"}), always);
  Paths more = with_ugc;
  more.insert({"object", "embed", "get"});
  EXPECT_EQ(
      Found({"--link-element", "object", "--link-element", "embed", "--link-element", "form"}),
      more);
}

TEST_F(LinkSourcesTest, AnUnknownElementIsRefused) {
  const Said said = RunProgram("opic", {"crawl", server_.Url("/"), "--data", folder_ + "/no",
                                        "--allow-private", "--link-element", "img"});
  EXPECT_EQ(said.code, 2);
  EXPECT_NE(said.output.find("--link-element"), std::string::npos) << said.output;
  EXPECT_NE(said.output.find("object, embed, form"), std::string::npos) << said.output;
}

}  // namespace
}  // namespace opic::scenarios
