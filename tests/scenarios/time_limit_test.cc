// --time holds, also while a host answers slowly.
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::HttpReply;
using support::HttpRequest;

// A page that leads to one whose answer never comes.
HttpReply SlowSite(const HttpRequest& request) {
  const std::string header = "Content-Type: text/html\r\n";
  if (request.target == "/robots.txt") return support::Answer("404 Not Found", "", "");
  if (request.target == "/") return support::Answer("200 OK", header, "<a href=/slow>1</a>");
  return {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n",
          .then = HttpReply::Then::kSilence};
}

nlohmann::json StatusOf(const std::string& data) {
  const Said said = RunProgram("opic", {"status", "--data", data, "--json"});
  return nlohmann::json::parse(said.answer, nullptr, false);
}

TEST(TimeLimitTest, ASlowAnswerIsCutAndItsPageStaysUnread) {
  support::HttpServer server(SlowSite);
  const std::string folder = FreshFolder(), data = folder + "/data";
  support::Process crawl(
      {Program("opic"), "crawl", server.Url("/"), "--data", data, "--delay", "0s", "--time", "3s",
       "--stop-timeout", "1s", "--timeout", "300s", "--allow-private"},
      {.output = folder + "/crawl.out"});
  ASSERT_TRUE(server.AwaitRequests(3)) << crawl.output();
  EXPECT_EQ(crawl.Wait(absl::Seconds(60)), 0) << crawl.output();
  nlohmann::json told = StatusOf(data);
  ASSERT_TRUE(told.is_object());
  EXPECT_EQ(told.value("unread", -1), 1) << told.dump();
  EXPECT_EQ(told["by_state"].value("failed", -1), 0) << told.dump();
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data}).code, 0);
}

}  // namespace
}  // namespace opic::scenarios
