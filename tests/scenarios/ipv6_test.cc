// A crawl of a server on an IPv6 address, told by its literal.
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::HttpRequest;
using support::HttpServer;

support::HttpReply SmallSite(const HttpRequest& request) {
  if (request.target == "/robots.txt") return support::Ok("User-agent: *\nDisallow: /private\n");
  const std::string header = "Content-Type: text/html\r\n";
  if (request.target != "/") return support::Answer("200 OK", header, "text");
  return support::Answer("200 OK", header, "<a href=/one>1</a><a href=/private>2</a>");
}

TEST(Ipv6Test, ALiteralIsCrawledLikeAnyHost) {
  HttpServer server(SmallSite, {.ipv6 = true});
  if (!server.ok()) GTEST_SKIP() << "this machine has no ::1";
  const std::string data = FreshFolder() + "/data";
  const Said said = RunProgram("opic", {"crawl", server.Url("/"), "--data", data, "--delay", "0s",
                                        "--allow-private", "--quiet"});
  ASSERT_EQ(said.code, 0) << said.output;
  const auto state = [&](const std::string& path) {
    const Said page =
        RunProgram("opic", {"importance", server.Url(path), "--data", data, "--json"});
    return nlohmann::json::parse(page.answer, nullptr, false).value("state", page.output);
  };
  EXPECT_EQ(state("/one"), "fetched");
  EXPECT_EQ(state("/private"), "forbidden");
  EXPECT_EQ(server.requests().size(), 3u) << "robots.txt and two pages";
}

}  // namespace
}  // namespace opic::scenarios
