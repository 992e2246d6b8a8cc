// A site of pages and large files of other types: the pages are crawled, the files are known and
// cost next to nothing, and the programs say what was left out.
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

constexpr int kFiles = 20;
constexpr size_t kFileBytes = 2 << 20;

HttpReply Site(const HttpRequest& request) {
  if (request.target == "/robots.txt") return Answer("404 Not Found", "", "");
  if (request.target.rfind("/file", 0) == 0) {
    static const std::string bytes(kFileBytes, 'x');
    return Answer("200 OK", "Content-Type: application/zip\r\nETag: \"1\"\r\n", bytes);
  }
  if (request.target == "/many") {
    return Answer("200 OK", "Content-Type: text/html\r\n", "<a href=/a><a href=/b><a href=/c>");
  }
  if (request.target != "/") return Answer("404 Not Found", "", "");
  std::string page = "<a href=/many>many</a>";
  for (int i = 0; i < kFiles; ++i) page += "<a href=/file" + std::to_string(i) + ".zip>a file</a>";
  return Answer("200 OK", "Content-Type: text/html\r\n", page);
}

class AcceptTest : public testing::Test {
 protected:
  Said Crawl(const Words& more = {}) {
    Words words = {"crawl", "--data", data_, "--delay", "0s", "--allow-private"};
    if (requests_ == 0) words.push_back(server_.Url("/"));
    words.insert(words.end(), more.begin(), more.end());
    Said said = RunProgram("opic", words);
    requests_ = server_.requests().size();
    return said;
  }
  nlohmann::json Page(const std::string& path) {
    const Said said =
        RunProgram("opic", {"importance", server_.Url(path), "--data", data_, "--json"});
    return nlohmann::json::parse(said.answer, nullptr, false);
  }
  std::string Explain(const std::string& path) {
    return RunProgram("opic", {"explain", server_.Url(path), "--data", data_}).output;
  }

  HttpServer server_{Site};
  const std::string data_ = FreshFolder() + "/data";
  size_t requests_ = 0;
};

TEST_F(AcceptTest, FilesOfOtherTypesAreKnownAndNotDownloaded) {
  const Said said = Crawl({"--links-max", "21"});
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_NE(said.output.find("20 bodies not downloaded for their type (41.9 MB)"),
            std::string::npos)
      << said.output;
  EXPECT_EQ(Page("/file7.zip")["state"], "fetched");
  EXPECT_EQ(Page("/file7.zip")["http_status"], 200);
  EXPECT_NE(Explain("/file7.zip").find("--accept"), std::string::npos) << Explain("/file7.zip");
  EXPECT_EQ(Explain("/").find("left out"), std::string::npos) << Explain("/");
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data_}).code, 0);
  EXPECT_EQ(RunProgram("opic", {"verify", "--data", data_}).code, 0);
}

TEST_F(AcceptTest, ATextThatIsNoUrlIsToldAndTheOthersAreAnswered) {
  ASSERT_EQ(Crawl().code, 0);
  const Said said =
      RunProgram("opic", {"importance", "nonsense", server_.Url("/"), "--data", data_});
  EXPECT_EQ(said.code, 2) << said.output;
  EXPECT_NE(said.output.find("\"nonsense\" is not a URL"), std::string::npos) << said.output;
  EXPECT_NE(said.output.find("fetched       " + server_.Url("/")), std::string::npos)
      << said.output;
}

TEST_F(AcceptTest, LinksBeyondTheBoundAreReported) {
  const Said said = Crawl({"--links-max", "2"});
  ASSERT_EQ(said.code, 0) << said.output;
  EXPECT_NE(said.output.find("links beyond --links-max of 2 pages"), std::string::npos)
      << said.output;
  EXPECT_NE(Explain("/many").find("--links-max"), std::string::npos) << Explain("/many");
}

TEST_F(AcceptTest, WhatIsAcceptedIsDownloaded) {
  ASSERT_EQ(Crawl({"--accept", "html,application/zip"}).code, 0);
  EXPECT_EQ(Explain("/file7.zip").find("--accept"), std::string::npos) << Explain("/file7.zip");
  const Said wrong = Crawl({"--accept", "zip"});
  EXPECT_EQ(wrong.code, 2) << wrong.output;
  EXPECT_NE(wrong.output.find("--accept"), std::string::npos) << wrong.output;
}

}  // namespace
}  // namespace opic::scenarios
