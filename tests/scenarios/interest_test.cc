// `--interest`: what was learnt outlives a kill, and `opic explain` tells what it makes of a page.
#include "tests/scenarios/site_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

constexpr int kDocuments = 300;

// A page that links documents of XML, whose URLs do not show what they are.
support::HttpReply DocumentHost(const support::HttpRequest& request) {
  if (request.target == "/robots.txt") return support::Answer("404 Not Found", "", "");
  if (request.target != "/")
    return support::Answer("200 OK", "Content-Type: application/xml\r\n", "<a/>");
  std::string links;
  for (int i = 0; i < kDocuments; ++i)
    links += "<a href=/documents/" + std::to_string(i) + ">d</a>";
  return support::Answer("200 OK", "Content-Type: text/html\r\n", links);
}

class InterestCrawlTest : public testing::Test {
 protected:
  std::unique_ptr<support::Process> Start(const Words& more) {
    Words words = {Program("opic"),
                   "crawl",
                   "--data",
                   data_,
                   "--scope",
                   "any",
                   "--delay",
                   "5ms",
                   "--interest",
                   "xml=100",
                   "--allow-private",
                   "--connect-to",
                   "::127.0.0.1:" + std::to_string(server_.port())};
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<support::Process>(
        words, support::Process::Options{.output = folder_ + "/crawl" + std::to_string(++runs_)});
  }
  bool AwaitRequests(size_t count) const {
    return support::Eventually(SampleCrawl::kPatience,
                               [&] { return server_.requests().size() >= count; });
  }
  Said Ask(Words words) const {
    words.insert(words.end(), {"--data", data_});
    return RunProgram("opic", words);
  }
  nlohmann::json Json(Words words) const {
    words.insert(words.end(), {"--data", data_});
    return scenarios::Json(words);
  }
  // It was paused before.
  bool Answers() const {
    return support::Eventually(SampleCrawl::kPatience, [&] {
      const Said said = Ask({"status"});
      return said.code == 0 && said.output.starts_with("running");
    });
  }

  const std::string folder_ = FreshFolder();
  const std::string data_ = folder_ + "/data";
  support::HttpServer server_{DocumentHost};
  int runs_ = 0;
};

TEST_F(InterestCrawlTest, WhatWasLearntOutlivesAKillAndIsExplained) {
  auto crawl = Start({"http://a.test/"});
  ASSERT_TRUE(AwaitRequests(kDocuments / 2)) << crawl->output();
  ASSERT_EQ(Ask({"control", "pause"}).code, 0);  // holds over the kill
  const nlohmann::json unread = Json({"top", "--state", "unread", "-n", "1"});
  ASSERT_EQ(unread["pages"].size(), 1u) << unread;
  const std::string url = unread["pages"][0]["url"];
  const nlohmann::json before = Json({"explain", url});
  EXPECT_GT(before.value("interest_factor", 0.0), 10) << before;
  EXPECT_EQ(before["cash_factor"], before["interest_factor"]);
  const std::string said = Ask({"explain", url}).output;
  EXPECT_NE(said.find("Its cash counts "), std::string::npos) << said;
  EXPECT_NE(said.find(" times (--interest)."), std::string::npos) << said;

  crawl->Kill();
  const nlohmann::json at_rest = Json({"sites"});
  EXPECT_GT(at_rest["sites"][0].value("bytes_received", 0), kDocuments) << at_rest;
  EXPECT_FALSE(Json({"explain", url}).contains("interest_factor")) << "nothing is chosen at rest";

  crawl = Start({});
  ASSERT_TRUE(Answers()) << crawl->output();
  EXPECT_NE(crawl->output().find("--interest goes on with what it has learnt of "),
            std::string::npos)
      << crawl->output();
  EXPECT_GT(Json({"explain", url}).value("interest_factor", 0.0), 10);
  EXPECT_EQ(Json({"sites"})["sites"][0]["bytes_received"], at_rest["sites"][0]["bytes_received"]);

  ASSERT_EQ(Ask({"publish", "boost", "7", "--host", "a.test"}).code, 0);
  const nlohmann::json both = Json({"explain", url});
  EXPECT_DOUBLE_EQ(both.value("cash_factor", 0.0), 7 * both.value("interest_factor", 0.0)) << both;
  EXPECT_NE(Ask({"explain", url}).output.find(", times 7 by --focus or opic publish boost."),
            std::string::npos);
}

}  // namespace
}  // namespace opic::scenarios
