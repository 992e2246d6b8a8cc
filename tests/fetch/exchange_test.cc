// What a well-behaved server answers arrives as the contract says.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/fetch/client.h"
#include "tests/fetch/gzip.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::Answer;
using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;
using ::opic::support::RawThenClose;

HttpServer::Handler Always(HttpReply reply) {
  return [reply](const HttpRequest&) { return reply; };
}

TEST(Exchange, ResponseCarriesTicketStatusHeadersBodyAndAddress) {
  HttpServer server(Always(Answer("200 OK",
                                  "Content-Type: text/html\r\nETag: \"e\"\r\nLast-Modified: lm\r\n"
                                  "Retry-After: 7\r\nX-Robots-Tag: none\r\n",
                                  "hello")));
  Client client;
  const Response response = client.Get(Request{.ticket = 42, .url = server.Url("/a?b=c")});
  EXPECT_EQ(response.ticket, 42u);
  EXPECT_EQ(response.error, Error::kNone);
  EXPECT_EQ(response.detail, "");
  EXPECT_TRUE(response.sent);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(response.content_type, "text/html");
  EXPECT_EQ(response.etag, "\"e\"");
  EXPECT_EQ(response.last_modified, "lm");
  EXPECT_EQ(response.retry_after, "7");
  EXPECT_EQ(response.x_robots_tag, "none");
  EXPECT_EQ(response.address, "127.0.0.1");
  EXPECT_EQ(server.requests().at(0).target, "/a?b=c");
}

// RFC 9112 section 5.2. The charset was lost, and the body stayed packed.
TEST(Exchange, AFieldMayGoOnInTheNextLine) {
  HttpServer server(Always(Answer("200 OK",
                                  "Content-Type: text/html;\r\n\tcharset=euc-jp\r\nLocation:\r\n"
                                  "  /next\r\nContent-Encoding:\r\n gzip\r\n",
                                  Gzip("page"))));
  Client client;
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_EQ(response.content_type, "text/html; charset=euc-jp");
  EXPECT_EQ(response.location, "/next");
  EXPECT_EQ(response.body, "page");
}

TEST(Exchange, NothingIsLeftOfTheRequestBefore) {
  HttpServer server([](const HttpRequest& request) {
    if (request.target == "/b") return Answer("404 Not Found", "", "");
    return Answer("200 OK", "ETag: \"e\"\r\nLocation: /l\r\n", "first");
  });
  Client client;
  client.Get(Request{.url = server.Url("/a"), .etag = "\"x\"", .body_bytes_max = 5});
  const Response second = client.Get(server.Url("/b"));
  EXPECT_EQ(second.status, 404);
  EXPECT_EQ(second.etag + second.location + second.body, "");
  EXPECT_EQ(server.requests().at(1).Header("If-None-Match"), "");
}

TEST(Exchange, WireBytesAreHeadAndBodyAsSent) {
  const HttpReply reply = Ok(std::string(1000, 'x'));
  HttpServer server(Always(reply));
  Client client;
  EXPECT_EQ(client.Get(server.Url("/")).wire_bytes, reply.bytes.size());
}

TEST(Exchange, EndedIsWhenTheLastByteCame) {
  HttpReply slow = Ok("x");
  slow.delay = absl::Milliseconds(80);
  HttpServer server(Always(slow));
  Client client;
  const absl::Time before = absl::Now();
  const Response response = client.Get(server.Url("/"));
  EXPECT_GE(response.started, before);
  EXPECT_GE(response.ended - response.started, absl::Milliseconds(80));
  EXPECT_LE(response.ended, absl::Now());
}

TEST(Exchange, RedirectIsJustAResponse) {
  HttpServer server(Always(Answer("302 Found", "Location: /again\r\n", "")));
  Client client;
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kNone);
  EXPECT_EQ(response.status, 302);
  EXPECT_EQ(response.location, "/again");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST(Exchange, ValidatorsAreSentVerbatimAndNotModifiedComesBack) {
  HttpServer server(Always({.bytes = "HTTP/1.1 304 Not Modified\r\nETag: W/\"v\"\r\n\r\n"}));
  Client client;
  const Response response =
      client.Get(Request{.url = server.Url("/"), .etag = "W/\"v\"", .last_modified = "Thu, x"});
  EXPECT_EQ(response.status, 304);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(server.requests().at(0).Header("If-None-Match"), "W/\"v\"");
  EXPECT_EQ(server.requests().at(0).Header("If-Modified-Since"), "Thu, x");
}

// A validator is a stranger's bytes: it must not become a header line of its own.
TEST(Exchange, ValidatorWithALineEndIsNotSent) {
  HttpServer server(Always(Ok("")));
  Client client;
  client.Get(Request{.url = server.Url("/"), .etag = "\"a\"\r\nX-Evil: 1"});
  EXPECT_EQ(server.requests().at(0).Header("X-Evil"), "");
  EXPECT_EQ(server.requests().at(0).Header("If-None-Match"), "");
}

TEST(Exchange, HeadersGoToAllAndCredentialsToTheirHostAlone) {
  HttpServer server(Always(Ok("")));
  Options options = Local();
  options.headers = {"Accept-Language: de"};
  options.host_access["http://one.example:8080"].authorization = "Bearer abc";
  options.connect_to = {absl::StrCat("::127.0.0.1:", server.port())};
  Client client(options);
  client.Get("http://one.example:8080/robots.txt");
  client.Get("http://one.example/");
  client.Get("http://two.example:8080/");
  const std::vector<HttpRequest> requests = server.requests();
  ASSERT_EQ(requests.size(), 3u);
  for (const HttpRequest& request : requests) EXPECT_EQ(request.Header("Accept-Language"), "de");
  EXPECT_EQ(requests[0].Header("Authorization"), "Bearer abc");
  EXPECT_EQ(requests[1].Header("Authorization"), "") << "another port";
  EXPECT_EQ(requests[2].Header("Authorization"), "");
}

TEST(Exchange, AHeaderOfSeveralLinesIsRefused) {
  Options options = Local();
  options.headers = {"X-A: b\r\nX-Evil: 1"};
  EXPECT_TRUE(absl::IsInvalidArgument(Fetcher::Start(options, [](Response) {}).status()));
}

TEST(Exchange, RequestNamesTheAgentAndTheEncodings) {
  HttpServer server(Always(Ok("")));
  Options options = Local();
  options.user_agent = "opic-test (+mailto:x@example.org)";
  Client client(options);
  client.Get(server.Url("/"));
  const HttpRequest request = server.requests().at(0);
  EXPECT_EQ(request.Header("User-Agent"), options.user_agent);
  EXPECT_EQ(request.Header("Upgrade"), "");  // HTTP/2 is for TLS only
  EXPECT_EQ(request.Header("Accept-Encoding").rfind("gzip, deflate", 0), 0u);
}

TEST(Exchange, CookiesAreNotSentBack) {
  HttpServer server(Always(Answer("200 OK", "Set-Cookie: a=b\r\n", "")));
  Client client;
  client.Get(server.Url("/"));
  client.Get(server.Url("/"));
  EXPECT_EQ(server.requests().at(1).Header("Cookie"), "");
}

TEST(Exchange, CredentialsInTheUrlAreNotSent) {
  HttpServer server(Always(Ok("")));
  Client client;
  const Response response = client.Get(absl::StrCat("http://u:p@127.0.0.1:", server.port(), "/"));
  EXPECT_EQ(response.error, Error::kOther);
  EXPECT_TRUE(server.requests().empty());
}

TEST(Exchange, PathIsSentAsItIs) {
  HttpServer server(Always(Ok("")));
  Client client;
  client.Get(server.Url("/a/../b/./%7Ec"));
  EXPECT_EQ(server.requests().at(0).target, "/a/../b/./%7Ec");
}

TEST(Exchange, OtherProtocolsAreRefused) {
  Client client;
  for (const char* url :
       {"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "", "http://"}) {
    const Response response = client.Get(url);
    EXPECT_EQ(response.error, Error::kOther) << url;
    EXPECT_FALSE(response.sent) << url;
  }
}

TEST(Exchange, UrlWithAZeroByteIsNotCutThere) {
  HttpServer server(Always(Ok("")));
  Client client;
  EXPECT_EQ(client.Get(server.Url(std::string("/a\0b", 4))).error, Error::kOther);
  EXPECT_TRUE(server.requests().empty());
}

TEST(Exchange, ChunkedBodyIsJoined) {
  HttpServer server(Always({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                     "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nETag: trailer\r\n\r\n"}));
  Client client;
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kNone);
  EXPECT_EQ(response.body, "abcde");
  EXPECT_EQ(response.etag, "");
}

TEST(Exchange, KeepAliveReusesTheConnection) {
  HttpServer server(Always(Ok("x")));
  Client client;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.Get(server.Url("/")).status, 200);
  EXPECT_EQ(server.connections(), 1);
}

// Hosts that are asked in turn, more than there are requests at once.
int ConnectionsForTwoTurns(int kept) {
  HttpServer server(Always(Ok("x")));
  Options options = Local();
  options.in_flight_max = 1;
  options.connections_kept = kept;
  options.connect_to = {absl::StrCat("::127.0.0.1:", server.port())};
  Client client(options);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(client.Get(absl::StrCat("http://", i % 4, ".example/")).status, 200);
  return server.connections();
}

TEST(Exchange, AsManyConnectionsStayOpenAsMay) {
  EXPECT_EQ(ConnectionsForTwoTurns(4), 4);
  EXPECT_GT(ConnectionsForTwoTurns(0), 4) << "two for a request at once";
}

TEST(Exchange, ConnectionClosedAfterAResponseIsReplaced) {
  HttpReply reply = Ok("x");
  reply.then = HttpReply::Then::kClose;
  HttpServer server(Always(reply));
  Client client;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.Get(server.Url("/")).error, Error::kNone);
  EXPECT_EQ(server.connections(), 5);
}

// The server closes a kept connection just as it is used again (RFC 9112 section 9.3.1). The second
// sending is the same request to its address: it must not find its own slot taken.
TEST(Exchange, RequestThatAKeptConnectionLostIsSentAgain) {
  int answered = 0;  // the last connection that got an answer
  HttpServer server([&](const HttpRequest& request) {
    if (request.connection == answered) return RawThenClose("");
    answered = request.connection;
    return Ok("x");
  });
  Options options = Local();
  options.per_address_max = 1;
  Client client(options);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.Get(server.Url("/")).error, Error::kNone);
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST(Exchange, UnusualFinalStatusIsAResponse) {
  HttpServer server(Always(Answer("999 Request denied", "", "")));
  Client client;
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kNone);
  EXPECT_EQ(response.status, 999);
}

TEST(Exchange, Ipv6LoopbackIsReached) {
  HttpServer server(Always(Ok("six")), {.ipv6 = true});
  if (!server.ok()) GTEST_SKIP() << "no IPv6 on this machine";
  Client client;
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.body, "six");
  EXPECT_EQ(response.address, "::1");
}

TEST(Exchange, RateIsCapped) {
  HttpServer server(Always(Ok(std::string(300'000, 'x'))));
  Options options = Local();
  options.receive_bytes_per_s_max = 200'000;
  Client client(options);
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.body.size(), 300'000u);
  EXPECT_GE(response.ended - response.started, absl::Milliseconds(300));
}

}  // namespace
}  // namespace opic::fetch
