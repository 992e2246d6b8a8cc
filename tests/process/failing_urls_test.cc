// A whole crawl of a host some of whose pages fail.
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/log.h"
#include "process/crawl_process.h"
#include "tests/support/http_server.h"
#include "tests/support/own_path.h"

namespace opic::process {
namespace {

using support::HttpRequest;

support::HttpReply Site(const HttpRequest& request) {
  if (request.target == "/robots.txt") return support::Answer("404 Not Found", "", "");
  if (request.target.starts_with("/broken")) {
    return support::Answer("500 Oops", "Content-Type: text/html\r\n", "no");
  }
  std::string body;
  if (request.target == "/") {
    for (int i = 0; i < 5; ++i) absl::StrAppend(&body, "<a href=/broken", i, "></a>");
    for (int i = 0; i < 200; ++i) absl::StrAppend(&body, "<a href=/page", i, "></a>");
  }
  return support::Answer("200 OK", "Content-Type: text/html\r\n", body);
}

// It took 71 s: each URL that failed kept its host waiting for 14 s.
TEST(FailingUrlsCrawlTest, FiveBrokenPagesDoNotHoldUpTwoHundredGoodOnes) {
  base::StartLog("/dev/null", base::LogLevel::kError);
  support::HttpServer server(Site);
  ProcessOptions options;
  options.data = support::OwnPath("crawl");
  std::filesystem::remove_all(options.data);
  options.crawl.seeds = {server.Url("/")};
  options.crawl.settle = false;
  options.crawl.fetch.allow_private = true;
  options.scheduling.delay = absl::ZeroDuration();
  const absl::Time start = absl::Now();
  auto process = CrawlProcess::Start(options);
  ASSERT_TRUE(process.ok()) << process.status();
  ASSERT_TRUE(server.AwaitRequests(1 + 201 + 5 * 3, absl::Seconds(30)));
  EXPECT_LT(absl::Now() - start, absl::Seconds(30));
  EXPECT_TRUE((*process)->Stop().ok());
  process->reset();
  int good = 0;
  for (const HttpRequest& request : server.requests())
    good += !request.target.starts_with("/broken");
  EXPECT_EQ(good, 1 + 201);
  std::filesystem::remove_all(options.data);
}

}  // namespace
}  // namespace opic::process
