// A web made to fill the memory: what the program holds of it stays within what it was given, and
// every page comes to its end.
#include "absl/strings/str_cat.h"
#include "tests/fetch/gzip.h"
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;

constexpr int kPagesOfAKind = 12;
constexpr uint64_t kBodyMax = 1 << 20, kMemory = 128 << 20;
// What the process may take in all, with the program itself and what it parses. A sanitizer's own
// memory comes on top.
#if defined(__SANITIZE_THREAD__)
constexpr uint64_t kProcessMemory = ~uint64_t{0};
#elif defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kProcessMemory = 8 * kMemory;
#else
constexpr uint64_t kProcessMemory = 4 * kMemory;
#endif

HttpReply Html(const std::string& body, const std::string& head = "") {
  return Answer("200 OK", "Content-Type: text/html\r\n" + head, body);
}

// The longest links there are, from as little as there can be.
std::string LongLinks(const std::string& page) {
  std::string body = absl::StrCat("<base href=\"/", page, std::string(1900, 'x'), "/\">");
  for (int i = 0; i < 20'000; ++i) absl::StrAppend(&body, "<a href=", i, ">");
  return body;
}

HttpReply Hostile(const HttpRequest& request) {
  static const std::string bomb = fetch::Gzip(std::string(50 << 20, ' '));
  if (request.target == "/robots.txt") return Answer("404 Not Found", "", "");
  if (request.target == "/bomb") return Html(bomb, "Content-Encoding: gzip\r\n");
  if (request.target == "/large") return Html(std::string(8 << 20, 'x'));
  if (request.target == "/links")
    return Html(fetch::Gzip(LongLinks(request.Header("Host"))), "Content-Encoding: gzip\r\n");
  if (request.target == "/") return Html("<a href=/links><a href=/bomb><a href=/large>");
  return Answer("404 Not Found", "", "");
}

TEST(MemoryTest, WhatStrangersSendStaysWithinWhatTheProgramWasGiven) {
  KeepLittleOfWhatIsFreed();
  HttpServer server(Hostile);
  const std::string data = FreshFolder() + "/data";
  Words words = {"crawl",
                 "--data",
                 data,
                 "--delay",
                 "0s",
                 "--allow-private",
                 "--quiet",
                 "--memory",
                 "128M",
                 "--body-max",
                 "1M",
                 "--depth",
                 "1",
                 "--no-settle",
                 "--stay",
                 "--connect-to",
                 "::127.0.0.1:" + std::to_string(server.port())};
  for (int i = 0; i < kPagesOfAKind; ++i) words.push_back(absl::StrCat("http://h", i, ".test/"));
  words.insert(words.begin(), Program("opic"));
  const support::Process crawl(words, {});
  nlohmann::json status;
  support::Eventually(SampleCrawl::kPatience, [&] {
    const Said said = RunProgram("opic", {"status", "--data", data, "--json"});
    status = nlohmann::json::parse(said.answer, nullptr, false);
    return status.is_object() && status.value("phase", "") == "finished";
  });
  ASSERT_TRUE(status.is_object());
  ASSERT_EQ(status.value("phase", ""), "finished") << status.dump(1);
  EXPECT_EQ(status["by_state"]["failed"], 0) << "a page was lost for want of memory";
  EXPECT_EQ(status["by_state"]["fetched"], 4 * kPagesOfAKind);
  EXPECT_EQ(status["too_large"], 2 * kPagesOfAKind);
  EXPECT_EQ(status["links_left_out"]["pages_above_max"], kPagesOfAKind);

  const nlohmann::json& memory = status["memory"];
  EXPECT_EQ(memory["limit"], kMemory);
  const auto at = [&](const char* part, const char* what) {
    return memory[part][what].get<uint64_t>();
  };
  EXPECT_GT(at("bodies", "peak"), kBodyMax);
  EXPECT_LE(at("bodies", "peak"), at("bodies", "limit") + 3 * kBodyMax);
  EXPECT_LE(at("reports", "peak"), at("reports", "limit"));
  EXPECT_EQ(at("bodies", "bytes"), 0u);
  EXPECT_EQ(at("reports", "bytes"), 0u);
  EXPECT_LT(status["memory_bytes_peak"].get<uint64_t>(), kProcessMemory);
  EXPECT_EQ(RunProgram("opic", {"audit", "--data", data}).code, 0);
}

}  // namespace
}  // namespace opic::scenarios
