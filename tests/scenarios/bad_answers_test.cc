// Each kind of broken answer has its own words in the summary, the fetch log and opic explain.
#include <fstream>
#include <iterator>

#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpReply;
using support::HttpRequest;
using support::HttpServer;
using support::RawThenClose;
using Then = support::HttpReply::Then;

const std::string kOk = "HTTP/1.1 200 OK\r\n";

struct Kind {
  std::string host;
  HttpReply reply;
  std::string error;    // in the fetch log
  std::string summary;  // among the causes
  std::string words;    // in what opic explain says
};

std::vector<Kind> Kinds() {
  return {
      {"empty", RawThenClose(""), "no answer", "no answer", "closed the connection without an"},
      {"cut", RawThenClose(kOk + "Content-Length: 9\r\n\r\nabc"), "cut", "answer cut", "was cut"},
      {"reset",
       {.bytes = kOk + "Content-Length: 9\r\n\r\nabc", .then = Then::kReset},
       "reset",
       "connection reset",
       "reset the connection"},
      {"ssh", RawThenClose("SSH-2.0-x\r\n"), "garbage", "no HTTP", "it is no HTTP"},
      {"zero", RawThenClose(kOk + std::string("X: a\0b", 6) + "\r\n\r\nx"), "bad header",
       "broken header", "with a zero byte"},
      {"flood",
       {.bytes = kOk, .then = Then::kRepeat, .repeat = "X-Again: and again\r\n"},
       "header too large",
       "header too large",
       "larger than 64 KiB"},
      {"chunks", RawThenClose(kOk + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"),
       "bad chunks", "broken chunks", "not chunked as its header says"},
      {"gzip", Answer("200 OK", "Content-Encoding: gzip\r\n", "plain"), "bad encoding",
       "wrongly packed", "not packed as its header says"},
  };
}

std::string FetchLogOf(const std::string& data) {
  std::ifstream file(data + "/fetches.jsonl");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(BadAnswersTest, EachKindIsToldByItsOwnWords) {
  const std::vector<Kind> kinds = Kinds();
  HttpServer server([&](const HttpRequest& request) -> HttpReply {
    if (request.target == "/robots.txt") return Answer("404 Not Found", "", "");
    if (request.Header("Host") == "nowhere.test") return Answer("302 Found", "", "");
    for (const Kind& kind : kinds) {
      if (request.Header("Host") == kind.host + ".test") return kind.reply;
    }
    return support::Ok("");
  });
  const std::string data = FreshFolder() + "/data";
  Words words = {"crawl",
                 "--data",
                 data,
                 "--scope",
                 "host",
                 "--delay",
                 "0s",
                 "--attempts",
                 "1",
                 "--allow-private",
                 "--no-settle",
                 "--connect-to",
                 "::127.0.0.1:" + std::to_string(server.port()),
                 "http://nowhere.test/"};
  for (const Kind& kind : kinds) words.push_back("http://" + kind.host + ".test/");
  const Said said = RunProgram("opic", words);
  const std::string log = FetchLogOf(data);
  for (const Kind& kind : kinds) {
    EXPECT_NE(said.output.find("1 " + kind.summary), std::string::npos) << said.output;
    EXPECT_NE(log.find("\"error\":\"" + kind.error + "\""), std::string::npos) << log;
    const Said page =
        RunProgram("opic", {"explain", "http://" + kind.host + ".test/", "--data", data});
    EXPECT_NE(page.output.find(kind.words), std::string::npos) << page.output;
  }
  const Said nowhere = RunProgram("opic", {"explain", "http://nowhere.test/", "--data", data});
  EXPECT_NE(nowhere.output.find("a redirect that has no Location"), std::string::npos)
      << nowhere.output;
}

}  // namespace
}  // namespace opic::scenarios
