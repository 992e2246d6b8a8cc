// Servers on IPv6 addresses. Each test is skipped where this machine has no ::1.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/fetch/client.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;

HttpReply NameTarget(const HttpRequest& request) {
  return Ok(request.target + " of " + request.Header("Host"));
}
HttpReply Silence(const HttpRequest&) { return {.bytes = "", .then = HttpReply::Then::kSilence}; }

class Ipv6Test : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!server_.ok()) GTEST_SKIP() << "this machine has no ::1";
  }
  std::string ServerAddress() { return absl::StrCat("[::1]:", server_.port()); }

  HttpServer server_{NameTarget, {.ipv6 = true}};
  Options options_ = Local();
};

TEST_F(Ipv6Test, LiteralIsConnectedToAndNamedWithItsBrackets) {
  Client client(options_);
  for (const char* path : {"/robots.txt", "/page"}) {
    const Response response = client.Get(server_.Url(path));
    EXPECT_EQ(response.error, Error::kNone) << response.detail;
    EXPECT_EQ(response.body, absl::StrCat(path, " of ", ServerAddress()));
    EXPECT_EQ(response.address, "::1");
  }
  EXPECT_EQ(server_.connections(), 1) << "kept alive";
}

TEST_F(Ipv6Test, LoopbackOnlyLeadsThere) {
  options_.loopback_only = true;
  Client client(options_);
  EXPECT_EQ(client.Get(server_.Url("/")).status, 200);
}

// The crawl began, and its seed was "an address this crawl may not contact".
TEST_F(Ipv6Test, LoopbackOnlyLeadsToMappedLoopback) {
  HttpServer ipv4(NameTarget);
  options_.loopback_only = true;
  options_.allow_private = false;
  Client client(options_);
  const Response response =
      client.Get(absl::StrCat("http://[::ffff:127.0.0.1]:", ipv4.port(), "/"));
  EXPECT_EQ(response.status, 200) << response.detail;
}

TEST_F(Ipv6Test, AllHostsCanBeSentToOneAddress) {
  options_.connect_to = {"::" + ServerAddress()};
  Client client(options_);
  EXPECT_EQ(client.Get("http://a.example/x").body, "/x of a.example");
  EXPECT_EQ(client.Get("http://192.0.2.1:81/x").body, "/x of 192.0.2.1:81");
}

TEST_F(Ipv6Test, ConnectToTakesLiteralsAtBothEnds) {
  HttpServer ipv4(NameTarget);
  options_.connect_to = {
      absl::StrCat("site.example:80:", ServerAddress()),
      absl::StrCat("[2001:db8::1]:8080:", ServerAddress()),
      absl::StrCat("[2001:db8::2]:80:127.0.0.1:", ipv4.port()),
  };
  Client client(options_);
  EXPECT_EQ(client.Get("http://site.example/").body, "/ of site.example");
  EXPECT_EQ(client.Get("http://[2001:db8::1]:8080/").body, "/ of [2001:db8::1]:8080");
  EXPECT_EQ(client.Get("http://[2001:db8::2]/").body, "/ of [2001:db8::2]");
  EXPECT_EQ(server_.requests().size(), 2u);
}

TEST_F(Ipv6Test, ConnectToOfAllHostsLeadsThere) {
  options_.connect_to = {"::" + ServerAddress()};
  Client client(options_);
  EXPECT_EQ(client.Get("http://site.example:81/").address, "::1");
}

TEST_F(Ipv6Test, CredentialsAreFoundByTheLiteral) {
  HttpServer server([](const HttpRequest& request) { return Ok(request.Header("Authorization")); },
                    {.ipv6 = true});
  const std::string origin = absl::StrCat("http://[::1]:", server.port());
  options_.host_access = {{origin, {.authorization = "Bearer x"}}};
  Client client(options_);
  EXPECT_EQ(client.Get(origin + "/").body, "Bearer x");
}

TEST_F(Ipv6Test, AddressLimitCountsItsRequests) {
  HttpServer silent(Silence, {.ipv6 = true});
  options_.per_address_max = 1;
  options_.connect_to = {absl::StrCat("::[::1]:", silent.port())};
  Client client(options_);
  ASSERT_TRUE(client.Submit({.url = "http://a.example/"}));
  ASSERT_TRUE(silent.AwaitRequests(1));
  EXPECT_EQ(client.Get("http://b.example/").error, Error::kAddressBusy);
}

// An IPv4 address that a name or a literal gives in IPv6 is the same machine.
TEST_F(Ipv6Test, MappedAddressCountsAsTheIpv4AddressItIs) {
  HttpServer silent(Silence);
  options_.per_address_max = 1;
  Client client(options_);
  ASSERT_TRUE(client.Submit({.url = silent.Url("/")}));
  ASSERT_TRUE(silent.AwaitRequests(1));
  const Response response =
      client.Get(absl::StrCat("http://[::ffff:127.0.0.1]:", silent.port(), "/"));
  EXPECT_EQ(response.error, Error::kAddressBusy) << response.detail;
  EXPECT_EQ(response.address, "127.0.0.1");
}

TEST_F(Ipv6Test, ProxyMayBeALiteral) {
  options_.proxy = "http://" + ServerAddress();
  Client client(options_);
  EXPECT_EQ(client.Get("http://site.example/path").body,
            "http://site.example/path of site.example");
}

TEST_F(Ipv6Test, ClosedPortIsAConnectError) {
  std::string closed;
  { closed = HttpServer(NameTarget, {.ipv6 = true}).Url("/"); }
  Client client(options_);
  EXPECT_EQ(client.Get(closed).error, Error::kConnect);
}

}  // namespace
}  // namespace opic::fetch
