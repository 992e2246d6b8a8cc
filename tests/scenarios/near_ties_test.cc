// A manual made from a template: each chapter is linked to by all sections, each section by all
// chapters. So all chapters are equally important, but for the half that an index names, too, which
// is a little more so: by less than what cells round, and the hundredth page of the ranking is one
// of these.
#include "absl/strings/match.h"
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpRequest;
using support::HttpServer;

constexpr int kSections = 40;
constexpr int kChapters = 260, kInIndex = 130;
constexpr int kElsewhere = 3'000;  // pages out of scope that share what the index pays

std::string LinksTo(const std::string& prefix, int count) {
  std::string links;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    links += "<a href='" + prefix + n + "'>" + n + "</a> ";
  }
  return links;
}

std::optional<std::string> ManualPageAt(const std::string& path) {
  if (path == "/") return LinksTo("/section/", kSections) + "<a href='/index'>index</a>";
  if (path == "/index")
    return LinksTo("/chapter/", kInIndex) + LinksTo("http://elsewhere.test/", kElsewhere);
  if (absl::StartsWith(path, "/section/")) return path + LinksTo("/chapter/", kChapters);
  if (absl::StartsWith(path, "/chapter/")) return path + LinksTo("/section/", kSections);
  return std::nullopt;
}

class NearTiesTest : public testing::Test {
 protected:
  Said Crawl(const Words& more = {}) {
    Words words = {"crawl", server_.Url("/"), "--data",         data_, "--delay",
                   "0s",    "--quiet",        "--allow-private"};
    words.insert(words.end(), more.begin(), more.end());
    return RunProgram("opic", words);
  }
  nlohmann::json Ask(const std::string& command) {
    const Said said = RunProgram("opic", {command, "--data", data_, "--json"});
    EXPECT_EQ(said.code, 0) << said.output;
    return nlohmann::json::parse(said.answer, nullptr, false);
  }

  HttpServer server_{[](const HttpRequest& request) {
    const std::optional<std::string> page = ManualPageAt(request.target);
    return page ? Answer("200 OK", "Content-Type: text/html\r\n", *page)
                : Answer("404 Not Found", "", "");
  }};
  const std::string data_ = FreshFolder() + "/data";
};

TEST_F(NearTiesTest, RoundingDoesNotDecideWhichPagesComeFirst) {
  const Said said = Crawl();
  ASSERT_EQ(said.code, 0) << said.output;
  const nlohmann::json compared = Ask("compare");
  EXPECT_EQ(compared["pages"], 2 + kSections + kChapters + kElsewhere);
  EXPECT_GE(compared["top_100_overlap"], 0.99);
  EXPECT_LE(compared["error_percent"], 1);
  EXPECT_LE(compared["error_percent_top_tenth"], 1);
  EXPECT_NEAR(compared["online_sum"].get<double>(), 1, 1e-9);
  const nlohmann::json status = Ask("status");
  EXPECT_LE(status["error_bound"], 0.01);
  EXPECT_LT(status["rounding_error"], 0.001);
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data_}).code, 0);
}

// Nor is it corrected again where nothing was rounded since.
TEST_F(NearTiesTest, WhatWasCorrectedStaysSo) {
  ASSERT_EQ(Crawl().code, 0);
  const nlohmann::json recorded = Ask("status")["log_number"];
  ASSERT_EQ(RunProgram("opic", {"crawl", "--data", data_, "--quiet", "--allow-private"}).code, 0);
  EXPECT_EQ(Ask("status")["log_number"], recorded) << "restated in vain";
  EXPECT_GE(Ask("compare")["top_100_overlap"], 0.99);
}

TEST_F(NearTiesTest, ACrawlThatMayNotSettleIsLeftAsItIs) {
  ASSERT_EQ(Crawl({"--no-settle"}).code, 0);
  EXPECT_GT(Ask("status")["rounding_error"], 0.0001);
}

}  // namespace
}  // namespace opic::scenarios
