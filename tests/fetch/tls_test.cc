// TLS and HTTP/2.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/fetch/client.h"
#include "tests/fetch/tls_servers.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;
using Then = ::opic::support::HttpReply::Then;

class TlsTest : public ::testing::Test {
 protected:
  // https://site.example leads to `port`, and its certificate is trusted.
  void Trust(int port) {
    options_.ca_file = certificate_.file();
    options_.connect_to = {absl::StrCat("::127.0.0.1:", port)};
  }
  Certificate certificate_;
  Options options_ = Local();
};

TEST_F(TlsTest, CertificateOfAKnownAuthorityIsAccepted) {
  const TlsServer server = StartOpenssl(certificate_);
  ASSERT_TRUE(server.ok());
  Trust(server.port);
  Client client(options_);
  const Response response = client.Get("https://site.example/");
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.sent);
}

TEST_F(TlsTest, UnknownAuthorityIsRefused) {
  const TlsServer server = StartOpenssl(certificate_);
  ASSERT_TRUE(server.ok());
  Trust(server.port);
  options_.ca_file = "";
  Client client(options_);
  const Response response = client.Get("https://site.example/");
  EXPECT_EQ(response.error, Error::kTls);
  EXPECT_FALSE(response.sent);
  EXPECT_EQ(response.address, "127.0.0.1");
}

// A connection to the host that is forgiven everything is not used for another one.
TEST_F(TlsTest, AnInsecureHostIsAskedAndNoOther) {
  const TlsServer server = StartOpenssl(certificate_);
  ASSERT_TRUE(server.ok());
  Trust(server.port);
  options_.ca_file = "";
  options_.host_access["https://other.example"].insecure = true;
  Client client(options_);
  EXPECT_EQ(client.Get("https://other.example/").status, 200);
  EXPECT_EQ(client.Get("https://site.example/").error, Error::kTls);
  EXPECT_EQ(client.Get("https://other.example/").status, 200);
}

TEST_F(TlsTest, CertificateOfAnotherNameIsRefused) {
  const TlsServer server = StartOpenssl(certificate_);
  ASSERT_TRUE(server.ok());
  Trust(server.port);
  Client client(options_);
  EXPECT_EQ(client.Get("https://other.example/").error, Error::kTls);
}

TEST_F(TlsTest, ServerWithoutTlsIsATlsError) {
  HttpServer server([](const HttpRequest&) { return Ok(""); },
                    {.greeting = support::RawThenClose("HTTP/1.1 400 Bad Request\r\n\r\n")});
  Trust(server.port());
  Client client(options_);
  EXPECT_EQ(client.Get("https://site.example/").error, Error::kTls);
}

TEST_F(TlsTest, SilentHandshakeTimesOut) {
  HttpServer server([](const HttpRequest&) { return Ok(""); });
  Trust(server.port());
  options_.connect_timeout = absl::Milliseconds(200);
  Client client(options_);
  const Response response = client.Get("https://site.example/");
  EXPECT_EQ(response.error, Error::kTimeout);
  EXPECT_FALSE(response.sent);
}

// A proxy's tunnel; its own headers are not the page's.
TEST_F(TlsTest, TlsRunsThroughAProxysTunnel) {
  const TlsServer server = StartOpenssl(certificate_);
  ASSERT_TRUE(server.ok());
  HttpServer proxy([&](const HttpRequest&) {
    return HttpReply{.bytes = "HTTP/1.1 200 OK\r\nETag: \"proxy\"\r\n\r\n",
                     .then = Then::kTunnel,
                     .tunnel_port = server.port};
  });
  options_.ca_file = certificate_.file();
  options_.proxy = proxy.Url("");
  Client client(options_);
  const Response response = client.Get("https://site.example/");
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_EQ(response.etag, "");
  EXPECT_EQ(response.address, "");
  EXPECT_EQ(proxy.requests().at(0).method, "CONNECT");
}

// What the proxy says about itself is not the page's.
TEST_F(TlsTest, ProxyThatRefusesATunnelGivesNoResponse) {
  HttpServer proxy([](const HttpRequest&) {
    return support::Answer("403 Forbidden", "Location: /proxy\r\n", "no");
  });
  options_.proxy = proxy.Url("");
  Client client(options_);
  const Response response = client.Get("https://site.example/");
  EXPECT_EQ(response.error, Error::kConnect) << response.detail;
  EXPECT_FALSE(response.sent);
  EXPECT_EQ(response.status, 0);
  EXPECT_EQ(response.location, "");
}

class Http2Test : public TlsTest {
 protected:
  void SetUp() override {
    nginx_ = StartNginx(certificate_);
    if (!nginx_.ok()) GTEST_SKIP() << "no nginx on this machine";
    Trust(nginx_.port);
  }
  TlsServer nginx_;
};

TEST_F(Http2Test, IsSpokenWhereOffered) {
  Client client(options_);
  const Response response = client.Get("https://site.example/");
  EXPECT_EQ(response.body, "HTTP/2.0");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/plain");
  EXPECT_EQ(response.address, "127.0.0.1");
}

TEST_F(Http2Test, ConditionalRequestIsNotModified) {
  Client client(options_);
  const Response first = client.Get("https://site.example/big");
  ASSERT_NE(first.etag, "");
  const Response second =
      client.Get(Request{.url = "https://site.example/big", .etag = first.etag});
  EXPECT_EQ(second.status, 304);
}

TEST_F(Http2Test, LimitsHoldAndTheConnectionsOtherRequestsLive) {
  Client client(options_);
  EXPECT_EQ(client.Get("https://site.example/").error, Error::kNone);
  ASSERT_TRUE(client.Submit({.url = "https://site.example/big", .body_bytes_max = 10}));
  ASSERT_TRUE(client.Submit({.ticket = 1, .url = "https://site.example/big"}));
  for (const Response& response : client.Take(2)) {
    EXPECT_EQ(response.error, response.ticket == 1 ? Error::kNone : Error::kBodyTooLarge);
    EXPECT_EQ(response.body.size(), response.ticket == 1 ? 1u << 20 : 10u);
  }
}

// It ends its stream, not the connection.
TEST_F(Http2Test, AnUnwantedBodyLeavesTheConnectionToOthers) {
  options_.wants = [](std::string_view type) { return type == "text/html"; };
  Client client(options_);
  const std::string connection = client.Get("https://site.example/connection").body;
  EXPECT_NE(connection, "");
  const Response big = client.Get("https://site.example/big");
  EXPECT_TRUE(big.stopped);
  EXPECT_EQ(big.error, Error::kNone) << big.detail;
  EXPECT_EQ(client.Get("https://site.example/connection").body, connection);
}

TEST_F(Http2Test, HeadersAreLimited) {
  options_.header_bytes_max = 40;
  Client client(options_);
  EXPECT_EQ(client.Get("https://site.example/").error, Error::kHeaderTooLarge);
}

}  // namespace
}  // namespace opic::fetch
