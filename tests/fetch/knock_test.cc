#include "fetch/knock.h"

#include <gtest/gtest.h>

#include "tests/fetch/client.h"
#include "tests/fetch/slow_names.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;

class KnockTest : public ::testing::Test {
 protected:
  Knocked At(const std::string& host, uint16_t port) {
    return Knock(options_, host, port, absl::Seconds(20), stop_);
  }
  Options options_ = Local();
  std::atomic<bool> stop_ = false;
  HttpServer server_{[](const HttpRequest&) { return Ok("text"); }};
};

TEST_F(KnockTest, AServerIsHeardAndAskedForNothing) {
  EXPECT_EQ(At("127.0.0.1", static_cast<uint16_t>(server_.port())), Knocked::kHeard);
  EXPECT_TRUE(server_.requests().empty());
}

TEST_F(KnockTest, TheRoutesOfTheCrawlAreTaken) {
  options_.connect_to = {"a.example:443:127.0.0.1:" + std::to_string(server_.port())};
  EXPECT_EQ(At("a.example", 443), Knocked::kHeard) << "without TLS";
}

TEST_F(KnockTest, ARefusedConnectionIsHeard) { EXPECT_EQ(At("127.0.0.1", 1), Knocked::kHeard); }

TEST_F(KnockTest, ANameServerThatKnowsNoSuchNameIsHeard) {
  EXPECT_EQ(At(kUnknownName, 80), Knocked::kHeard);
}

TEST_F(KnockTest, NameServersThatDoNotAnswer) {
  StuckNames stuck;
  EXPECT_EQ(Knock(options_, kStuckName, 80, absl::Milliseconds(300), stop_), Knocked::kNoResolver);
}

TEST_F(KnockTest, AnAddressThatTheCrawlMayNotAskIsNotAsked) {
  options_.allow_private = false;
  EXPECT_EQ(At("127.0.0.1", static_cast<uint16_t>(server_.port())), Knocked::kSilent);
  EXPECT_EQ(server_.connections(), 0);
}

TEST_F(KnockTest, AStopEndsIt) {
  StuckNames stuck;
  stop_ = true;
  EXPECT_EQ(At(kStuckName, 80), Knocked::kSilent);
}

// What a machine without network would say, too.
TEST(UnheardTest, NobodyIsHeardOfANameThatIsNotFoundAndOfSilence) {
  HttpServer silent([](const HttpRequest&) {
    support::HttpReply late = Ok("");
    late.delay = absl::Seconds(10);
    return late;
  });
  Options options = Local();
  options.total_timeout = absl::Milliseconds(300);
  Client client(options);
  EXPECT_TRUE(client.Get(std::string("http://") + kUnknownName + "/").unheard);
  const Response late = client.Get(silent.Url("/"));
  EXPECT_EQ(late.error, Error::kTimeout);
  EXPECT_TRUE(late.unheard);
}

TEST(UnheardTest, SomebodyIsHeardWhoAnswersOrRefuses) {
  HttpServer server([](const HttpRequest&) { return Ok(""); });
  Client client;
  EXPECT_FALSE(client.Get(server.Url("/")).unheard);
  const Response refused = client.Get("http://127.0.0.1:1/");
  EXPECT_EQ(refused.error, Error::kConnect);
  EXPECT_FALSE(refused.unheard);
}

}  // namespace
}  // namespace opic::fetch
