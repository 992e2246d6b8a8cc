// Where requests go: names, refused addresses, connect_to, proxies.
#include <gtest/gtest.h>
#include <stdlib.h>

#include "absl/strings/str_cat.h"
#include "tests/fetch/client.h"
#include "tests/fetch/poll_calls.h"
#include "tests/fetch/slow_names.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;

class RouteTest : public ::testing::Test {
 protected:
  std::string At(const std::string& host) {
    return absl::StrCat("http://", host, ":", server_.port(), "/");
  }
  std::string ServerAddress() { return absl::StrCat("127.0.0.1:", server_.port()); }

  HttpServer server_{[](const HttpRequest& request) { return Ok(request.Header("Host")); }};
  Options options_ = Local();
};

TEST_F(RouteTest, LoopbackIsRefusedUnlessAllowed) {
  options_.allow_private = false;
  Client client(options_);
  // localhost resolves to it; the odd spellings are the same address; 0.0.0.0 connects to it.
  for (const char* host : {"127.0.0.1", "localhost", "127.1", "0x7f000001", "2130706433", "0.0.0.0",
                           "[::1]", "[::ffff:127.0.0.1]", "[::]"}) {
    const Response response = client.Get(At(host));
    EXPECT_EQ(response.error, Error::kRefusedAddress) << host << ": " << response.detail;
    EXPECT_FALSE(response.sent);
    EXPECT_EQ(response.address, "");
  }
  EXPECT_EQ(server_.connections(), 0);
}

TEST_F(RouteTest, ConnectToDoesNotLeadAroundTheAddressCheck) {
  options_.allow_private = false;
  options_.connect_to = {"site.example:80:" + ServerAddress()};
  Client client(options_);
  EXPECT_EQ(client.Get("http://site.example/").error, Error::kRefusedAddress);
}

TEST_F(RouteTest, NameOfLoopbackIsReachedWhenAllowed) {
  Client client(options_);
  EXPECT_EQ(client.Get(At("localhost")).status, 200);
}

TEST_F(RouteTest, ConnectToSendsHostsElsewhereUnderTheirOwnName) {
  options_.connect_to = {"a.example:80:" + ServerAddress(), "b.example:8080:" + ServerAddress()};
  Client client(options_);
  EXPECT_EQ(client.Get("http://a.example/").body, "a.example");
  EXPECT_EQ(client.Get("http://b.example:8080/").body, "b.example:8080");
}

TEST_F(RouteTest, AllHostsCanBeSentToOneAddress) {
  options_.connect_to = {"::" + ServerAddress()};
  Client client(options_);
  EXPECT_EQ(client.Get("http://a.example/").body, "a.example");
  EXPECT_EQ(client.Get("http://b.example:8080/").body, "b.example:8080");
  EXPECT_EQ(client.Get("http://192.0.2.1/").body, "192.0.2.1");
  const Response response = client.Get("http://[2001:db8::1]:81/");
  EXPECT_EQ(response.body, "[2001:db8::1]:81");
  EXPECT_EQ(response.address, "127.0.0.1");
}

TEST_F(RouteTest, AllHostsCanBeSentToOneName) {
  options_.connect_to = {absl::StrCat("::localhost:", server_.port())};
  Client client(options_);
  EXPECT_EQ(client.Get("http://a.example/").body, "a.example");
}

TEST_F(RouteTest, OfSeveralRoutesTheFirstThatFitsIsTaken) {
  options_.connect_to = {"a.example:80:127.0.0.1:1", "::" + ServerAddress()};
  Client client(options_);
  EXPECT_EQ(client.Get("http://a.example/").error, Error::kConnect);
  EXPECT_EQ(client.Get("http://b.example/").body, "b.example");
}

TEST_F(RouteTest, AllHostsAtOneAddressDoNotLeadAroundTheAddressCheck) {
  options_.allow_private = false;
  options_.connect_to = {"::" + ServerAddress()};
  Client client(options_);
  EXPECT_EQ(client.Get("http://192.0.2.1/").error, Error::kRefusedAddress);
}

// The symptom: a request looked at every idle connection there was, and half of a crawl's time went
// there with connections to a thousand hosts.
TEST_F(RouteTest, ARequestDoesNotLookAtTheConnectionsToOtherHosts) {
  constexpr int kHosts = 50;
  options_.connect_to = {"::" + ServerAddress()};
  Client client(options_);
  const auto ask = [&](int i) { client.Get(absl::StrCat("http://", i, ".example/")); };
  for (int i = 0; i < kHosts; ++i) ask(i);
  const int before = PollCalls();
  for (int i = 0; i < kHosts; ++i) ask(i);
  EXPECT_EQ(server_.connections(), kHosts) << "they were not kept";
  EXPECT_LE(PollCalls() - before, 10 * kHosts);
}

TEST_F(RouteTest, ConnectionRefusedIsReportedAsSuch) {
  std::string closed;
  {
    closed = HttpServer([](const HttpRequest&) { return Ok(""); }).Url("/");
  }
  Client client(options_);
  const Response response = client.Get(closed);
  EXPECT_EQ(response.error, Error::kConnect);
  EXPECT_FALSE(response.sent);
  EXPECT_EQ(response.address, "");
}

TEST_F(RouteTest, UnknownNameIsReportedAsSuch) {
  Client client(options_);
  EXPECT_EQ(client.Get(absl::StrCat("http://", kUnknownName, "/")).error, Error::kResolve);
}

TEST_F(RouteTest, ANameIsLookedUpOnceForConnectionsThatFollowEachOther) {
  HttpServer server([](const HttpRequest&) {
    HttpReply reply = Ok("");
    reply.then = HttpReply::Then::kClose;
    return reply;
  });
  Client client(options_);
  const int before = TimesLookedUp();
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(client.Get(absl::StrCat("http://", kCountedName, ":", server.port(), "/")).status,
              200);
  EXPECT_EQ(server.connections(), 5);
  EXPECT_EQ(TimesLookedUp() - before, 1);
}

// The symptom: one dead name server stopped the whole crawler, because libcurl joined the thread
// that was still resolving.
TEST_F(RouteTest, NameThatIsNeverResolvedTimesOutAndHoldsUpNobody) {
  StuckNames stuck;
  options_.connect_timeout = absl::Milliseconds(200);
  Client client(options_);
  ASSERT_TRUE(client.Submit({.url = absl::StrCat("http://", kStuckName, "/")}));
  const Response dead = std::move(client.Take(1)[0]);
  EXPECT_TRUE(dead.error == Error::kTimeout || dead.error == Error::kResolve) << dead.error;
  EXPECT_LT(dead.ended - dead.started, absl::Seconds(5));
  EXPECT_EQ(client.Get(server_.Url("/")).status, 200);
}

TEST_F(RouteTest, StopDoesNotWaitForAName) {
  StuckNames stuck;
  Client client(options_);
  ASSERT_TRUE(client.Submit({.url = absl::StrCat("http://", kStuckName, "/")}));
  stuck.AwaitOne();
  const absl::Time before = absl::Now();
  client.fetcher().Stop();
  EXPECT_LT(absl::Now() - before, absl::Seconds(5));
  EXPECT_EQ(client.Take(1)[0].error, Error::kStopped);
}

TEST_F(RouteTest, ProxyGetsTheWholeUrlAndNoAddressIsReported) {
  options_.proxy = "http://" + ServerAddress();
  options_.allow_private = false;  // the proxy itself is the operator's choice
  Client client(options_);
  const Response response = client.Get("http://site.example/path");
  EXPECT_EQ(response.status, 200) << response.detail;
  EXPECT_EQ(response.body, "site.example");
  EXPECT_EQ(response.address, "");
  EXPECT_EQ(server_.requests().at(0).target, "http://site.example/path");
}

TEST_F(RouteTest, AProxyIsToldOfTheAddressThatAllHostsAreSentTo) {
  options_.proxy = "http://" + ServerAddress();
  options_.connect_to = {"::192.0.2.7:81"};
  Client client(options_);
  client.Get("http://site.example/");
  EXPECT_EQ(server_.requests().at(0).target, "192.0.2.7:81");
}

// All requests go to one address, the proxy's: the limit is not about it.
TEST_F(RouteTest, AddressLimitDoesNotApplyBehindAProxy) {
  HttpServer proxy(
      [](const HttpRequest&) { return HttpReply{.bytes = "", .then = HttpReply::Then::kSilence}; });
  options_.proxy = proxy.Url("");
  options_.per_address_max = 1;
  Client client(options_);
  for (int i = 0; i < 5; ++i) client.Submit({.url = absl::StrCat("http://", i, ".example/")});
  EXPECT_TRUE(proxy.AwaitRequests(5));
}

class EnvironmentTest : public RouteTest {
 protected:
  void SetUp() override {
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    setenv("all_proxy", "http://127.0.0.1:1", 1);
    setenv("no_proxy", "*", 1);
  }
  void TearDown() override {
    for (const char* name : {"http_proxy", "all_proxy", "no_proxy"}) unsetenv(name);
  }
};

TEST_F(EnvironmentTest, ItsProxyIsIgnored) {
  unsetenv("no_proxy");
  Client client(options_);
  EXPECT_EQ(client.Get(server_.Url("/")).error, Error::kNone);
}

TEST_F(EnvironmentTest, ItsNoProxyIsIgnored) {
  options_.proxy = "http://" + ServerAddress();
  Client client(options_);
  EXPECT_EQ(client.Get("http://site.example/").body, "site.example");
}

class BadOption : public ::testing::Test {
 protected:
  void ExpectRefused() {
    const auto fetcher = Fetcher::Start(options_, [](Response) {});
    EXPECT_EQ(fetcher.status().code(), absl::StatusCode::kInvalidArgument);
  }
  Options options_ = Local();
};
TEST_F(BadOption, NoRoomForRequests) { options_.in_flight_max = 0, ExpectRefused(); }
TEST_F(BadOption, NoRoomAtAnAddress) { options_.per_address_max = 0, ExpectRefused(); }
TEST_F(BadOption, NoTime) { options_.total_timeout = absl::ZeroDuration(), ExpectRefused(); }
TEST_F(BadOption, NoTimeToConnect) {
  options_.connect_timeout = -absl::Seconds(1), ExpectRefused();
}
TEST_F(BadOption, AgentOfTwoLines) { options_.user_agent = "a\r\nX: b", ExpectRefused(); }
TEST_F(BadOption, ConnectToWithoutAPort) { options_.connect_to = {"a:80:b"}, ExpectRefused(); }
TEST_F(BadOption, AuthoritiesThatAreNotThere) {
  options_.ca_file = "/no/such/file", ExpectRefused();
}

}  // namespace
}  // namespace opic::fetch
