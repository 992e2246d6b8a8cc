// A site whose every answer has a header line without a colon, its robots.txt, too. It is read as
// browsers read it, at the pace of any other.
#include <optional>

#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

HttpReply WithBrokenHead(const HttpRequest& request) {
  const std::string head = "HTTP/1.1 200 OK\r\ngarbage line here\r\nContent-Type: ";
  if (request.target == "/robots.txt")
    return support::RawThenClose(head + "text/plain\r\n\r\nUser-agent: *\nDisallow: /forbidden\n");
  return support::RawThenClose(head +
                               "text/html\r\n\r\n<a href=/one>1</a><a href=/forbidden>2</a>");
}

TEST(BrokenHeadsTest, TheSiteIsReadAtItsPace) {
  constexpr absl::Duration kDelay = absl::Milliseconds(300);
  HttpServer site(WithBrokenHead);
  const std::string data = FreshFolder() + "/data";
  const Said said = RunProgram(
      "opic", {"crawl", site.Url("/"), "--data", data, "--delay", absl::FormatDuration(kDelay),
               "--attempts", "1", "--allow-private", "--no-settle"});
  EXPECT_EQ(said.code, 0) << said.output;
  EXPECT_EQ(said.output.find("broken header"), std::string::npos) << said.output;
  for (const std::string path : {"/", "/one"}) {
    const Said page = RunProgram("opic", {"importance", site.Url(path), "--data", data, "--json"});
    EXPECT_NE(page.output.find("\"fetched\""), std::string::npos) << page.output;
  }
  std::vector<std::string> asked;
  std::optional<absl::Time> before;
  for (const HttpRequest& request : site.requests()) {
    asked.push_back(request.target);
    if (before) {
      EXPECT_GE(request.started - *before, kDelay - absl::Milliseconds(5));
    }
    before = request.started;
  }
  EXPECT_EQ(asked, (Words{"/robots.txt", "/robots.txt", "/", "/one"}));
}

}  // namespace
}  // namespace opic::scenarios
