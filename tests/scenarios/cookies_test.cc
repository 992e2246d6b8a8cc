// A site that is read only with its cookie (--cookies), also by the process after.
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::HttpRequest;
using support::HttpServer;

support::HttpReply Gate(const HttpRequest& request) {
  if (request.target == "/robots.txt") return support::Ok("");
  if (request.Header("Cookie") == "session5f=1") {
    return support::Answer("200 OK", "Content-Type: text/html\r\n", "<a href=/one>1</a>");
  }
  return support::Answer(
      "302 Found", "Location: " + request.target + "\r\nSet-Cookie: session5f=1; Path=/\r\n", "");
}

class CookiesTest : public testing::Test {
 protected:
  void Crawl(const Words& more) {
    Words words = {"crawl",   site_.Url("/"), "--data",          data_,
                   "--delay", "0s",           "--allow-private", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = RunProgram("opic", words);
    EXPECT_EQ(said.output.find("session5f"), std::string::npos) << said.output;
    code_ = said.code;
  }
  std::string State(const std::string& path) {
    const Said page =
        RunProgram("opic", {"importance", site_.Url(path), "--data", data_, "--json"});
    return nlohmann::json::parse(page.answer, nullptr, false).value("state", page.output);
  }
  // Of all requests but those for robots.txt.
  size_t SentWithout() {
    size_t without = 0;
    for (const HttpRequest& request : site_.requests()) {
      if (request.target != "/robots.txt" && request.Header("Cookie").empty()) ++without;
    }
    return without;
  }
  const std::string data_ = FreshFolder() + "/data";
  HttpServer site_{Gate};
  int code_ = -1;
};

TEST_F(CookiesTest, TheSiteIsReadAndTheSessionOutlivesTheProcess) {
  Crawl({"--cookies"});
  EXPECT_EQ(code_, 0);
  EXPECT_EQ(State("/"), "fetched");
  EXPECT_EQ(State("/one"), "fetched");
  EXPECT_EQ(SentWithout(), 1u);
  const size_t requests = site_.requests().size();
  Crawl({"--cookies", "--again"});
  EXPECT_GT(site_.requests().size(), requests);
  EXPECT_EQ(SentWithout(), 1u);
  EXPECT_EQ(RunProgram("opic", {"verify", "--data", data_}).code, 0);
}

TEST_F(CookiesTest, KeptCookiesCanBeForgotten) {
  Crawl({"--cookies"});
  const auto cookies = [&](Words more) {
    more.insert(more.begin(), {"cookies", "--data", data_});
    return RunProgram("opic", more);
  };
  const Said listed = cookies({});
  EXPECT_EQ(listed.code, 0);
  EXPECT_NE(listed.output.find("  127.0.0.1\n1 host; the number is the bytes of its cookies\n"),
            std::string::npos)
      << listed.output;
  EXPECT_EQ(listed.output.find("session5f"), std::string::npos) << "they are secrets";
  EXPECT_EQ(cookies({"other.test", "--forget"}).code, 5);
  EXPECT_EQ(cookies({"--forget"}).code, 2) << "of all hosts only when that is said";
  EXPECT_EQ(cookies({"two words"}).code, 2);
  EXPECT_EQ(cookies({site_.Url("/")}).output, listed.output) << "a URL on the host";
  EXPECT_EQ(cookies({"127.0.0.1", "--forget"}).code, 0);
  EXPECT_EQ(nlohmann::json::parse(cookies({"--json"}).answer)["hosts"].size(), 0u);
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data_}).code, 0);
  Crawl({"--cookies", "--again"});
  EXPECT_EQ(SentWithout(), 2u) << "the host sees a new visitor";
}

TEST_F(CookiesTest, WithoutTheFlagItStaysOutside) {
  Crawl({});
  EXPECT_EQ(State("/"), "redirect");
  EXPECT_EQ(SentWithout(), 1u);
}

}  // namespace
}  // namespace opic::scenarios
