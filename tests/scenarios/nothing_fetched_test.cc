// A crawl that could read no page says so, and why: exit code 8, never 0.
#include "tests/scenarios/sample_crawl.h"
#include "tests/support/http_server.h"

namespace opic::scenarios {
namespace {

using support::Answer;
using support::HttpRequest;
using support::HttpServer;

class NothingFetchedTest : public testing::Test {
 protected:
  // `words` follow `opic crawl --data ...`.
  Said Crawl(const Words& words) {
    Words all = {"crawl", "--data", data_, "--delay", "0", "--attempts", "1"};
    all.insert(all.end(), words.begin(), words.end());
    return RunProgram("opic", all);
  }
  std::string Explain(const std::string& url) {
    return RunProgram("opic", {"explain", url, "--data", data_}).output;
  }
  void ExpectSaid(const Said& said, const std::string& why) {
    EXPECT_EQ(said.code, 8) << said.output;
    EXPECT_NE(said.output.find("nothing was fetched"), std::string::npos) << said.output;
    EXPECT_NE(said.output.find(why), std::string::npos) << said.output;
    EXPECT_EQ(said.output.find("rank  "), std::string::npos) << "no ranking of nothing";
  }
  const std::string folder_ = FreshFolder();
  const std::string data_ = folder_ + "/data";
};

TEST_F(NothingFetchedTest, AHostWithoutAnAddress) {
  const std::string seed = "http://nosuchhost.invalid/";
  const Said said = Crawl({seed, "--contact", "test@example.org"});
  ExpectSaid(said, "1 page failed");
  ExpectSaid(said, "no address");
  EXPECT_NE(Explain(seed).find("its robots.txt could not be read: its host has no address"),
            std::string::npos)
      << Explain(seed);
}

TEST_F(NothingFetchedTest, ARefusedConnection) {
  const Said said = Crawl({"http://127.0.0.1:1/", "--allow-private"});
  ExpectSaid(said, "refused the connection");
}

// It waits for the end of a request.
TEST_F(NothingFetchedTest, AServerThatSpeaksNoTls) {
  HttpServer server([](const HttpRequest&) { return support::Ok("plain"); });
  const Said said = Crawl({"https://127.0.0.1:" + std::to_string(server.port()) + "/",
                           "--allow-private", "--connect-timeout", "1s"});
  ExpectSaid(said, "too late");
}

// Refused by the crawl itself; not tried three times, and no request.
TEST_F(NothingFetchedTest, AnAddressThatIsNotAllowed) {
  HttpServer server([](const HttpRequest&) { return support::Ok("private"); });
  const std::string seed = server.Url("/");
  const Said said = Crawl({seed, "--contact", "test@example.org"});
  ExpectSaid(said, "with it, loopback and private ones need --allow-private");
  EXPECT_TRUE(server.requests().empty());
  EXPECT_NE(Explain(seed).find("--allow-private"), std::string::npos) << Explain(seed);
}

// docs/operations.md: nothing but loopback is asked then.
TEST_F(NothingFetchedTest, WithoutAContactLoopbackNeedsNoFlag) {
  HttpServer server([](const HttpRequest&) { return support::Ok("page"); });
  EXPECT_EQ(Crawl({server.Url("/"), "--quiet"}).code, 0);
}

TEST_F(NothingFetchedTest, RobotsForbidAll) {
  HttpServer server([](const HttpRequest& request) {
    return request.target == "/robots.txt" ? support::Ok("User-agent: *\nDisallow: /\n")
                                           : support::Ok("page");
  });
  ExpectSaid(Crawl({server.Url("/"), "--allow-private"}), "1 page forbidden by robots.txt");
}

TEST_F(NothingFetchedTest, ASeedThatIsGone) {
  HttpServer server([](const HttpRequest&) { return Answer("404 Not Found", "", ""); });
  const Said said = Crawl({server.Url("/misspelt"), "--allow-private"});
  ExpectSaid(said, "HTTP status 404");
}

TEST_F(NothingFetchedTest, ASeedThatLeadsElsewhere) {
  HttpServer server([](const HttpRequest& request) {
    return request.target == "/robots.txt"
               ? Answer("404 Not Found", "", "")
               : Answer("301 Moved", "Location: http://www.elsewhere.test/\r\n", "");
  });
  ExpectSaid(Crawl({server.Url("/"), "--allow-private"}), "redirected out of scope");
}

// One page is enough, whatever became of the others.
TEST_F(NothingFetchedTest, OnePageIsSomething) {
  HttpServer server([](const HttpRequest& request) {
    if (request.target == "/robots.txt") return Answer("404 Not Found", "", "");
    if (request.target == "/gone") return Answer("404 Not Found", "", "");
    return support::Ok("<a href=/gone>gone</a>");
  });
  EXPECT_EQ(Crawl({server.Url("/"), "--allow-private", "--quiet"}).code, 0);
  const Said again = Crawl({"--allow-private"});
  EXPECT_EQ(again.code, 0) << again.output;
  EXPECT_NE(again.output.find("was finished before"), std::string::npos) << again.output;
}

TEST_F(NothingFetchedTest, QuietHidesNoFailure) {
  const Said said = Crawl({"http://127.0.0.1:1/", "--allow-private", "--quiet"});
  ExpectSaid(said, "refused the connection");
}

TEST_F(NothingFetchedTest, AFolderOfARefusedStartHasNotFinished) {
  const std::string data = FreshFolder() + "/data";
  EXPECT_EQ(RunProgram("opic-node", {"--data", data, "--listen", "127.0.0.1:0"}).code, 2);
  const Said status = RunProgram("opic", {"status", "--data", data});
  EXPECT_EQ(status.code, 0);
  EXPECT_EQ(status.output.rfind("at rest, nothing to crawl yet\n", 0), 0u) << status.output;
}

}  // namespace
}  // namespace opic::scenarios
