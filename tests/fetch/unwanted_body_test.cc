// A body whose type nobody wants is not downloaded; its answer counts all the same.
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
using Then = ::opic::support::HttpReply::Then;

constexpr char kPng[] = "Content-Type: image/png\r\nETag: \"e\"\r\n";

Options HtmlOnly() {
  Options options = Local();
  options.accept = "text/html";
  options.wants = [](std::string_view type) { return type.empty() || type == "text/html"; };
  return options;
}

HttpServer::Handler Always(HttpReply reply) {
  return [reply](const HttpRequest&) { return reply; };
}

// Of 300 MB, 10 MB were received.
TEST(UnwantedBody, EndsAtItsHeader) {
  HttpReply endless{
      .bytes = absl::StrCat("HTTP/1.1 200 OK\r\n", kPng, "Content-Length: 314572800\r\n\r\n"),
      .then = Then::kRepeat,
      .repeat = std::string(16'000, 'x')};
  HttpServer server(Always(endless));
  Client client(HtmlOnly());
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.unwanted);
  EXPECT_TRUE(response.stopped);
  EXPECT_EQ(response.content_length, 314'572'800u);
  EXPECT_EQ(response.etag, "\"e\"");
  EXPECT_EQ(response.body, "");
  EXPECT_LT(response.wire_bytes, 1000u);
}

TEST(UnwantedBody, WithoutALengthEndsAtItsHeader) {
  HttpReply chunks{
      .bytes = absl::StrCat("HTTP/1.1 200 OK\r\n", kPng, "Transfer-Encoding: chunked\r\n\r\n"),
      .then = Then::kSilence};
  HttpServer server(Always(chunks));
  Client client(HtmlOnly());
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_TRUE(response.stopped);
  EXPECT_FALSE(response.content_length.has_value());
}

TEST(UnwantedBody, OfFewBytesIsReadAndDroppedAndItsConnectionUsedAgain) {
  HttpServer server(Always(Answer("200 OK", kPng, std::string(kDrainBytesMax, 'x'))));
  Client client(HtmlOnly());
  for (int i = 0; i < 3; ++i) {
    const Response response = client.Get(server.Url("/"));
    EXPECT_EQ(response.error, Error::kNone) << response.detail;
    EXPECT_TRUE(response.unwanted);
    EXPECT_FALSE(response.stopped);
    EXPECT_EQ(response.body, "");
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(UnwantedBody, OfMoreBytesCostsTheConnection) {
  HttpServer server(Always(Answer("200 OK", kPng, std::string(kDrainBytesMax + 1, 'x'))));
  Client client(HtmlOnly());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.Get(server.Url("/")).stopped);
  EXPECT_EQ(server.connections(), 3);
}

TEST(UnwantedBody, OfNoBytesKeepsItsConnection) {
  HttpServer server(Always(Answer("200 OK", kPng, "")));
  Client client(HtmlOnly());
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(client.Get(server.Url("/")).stopped);
  EXPECT_EQ(server.connections(), 1);
}

// Chunks count, not the length beside them (RFC 9112 section 6.3).
TEST(UnwantedBody, OfMoreThanItSaysIsStoppedAtTheBound) {
  HttpReply lying{.bytes = absl::StrCat("HTTP/1.1 200 OK\r\n", kPng,
                                        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
                  .then = Then::kRepeat,
                  .repeat = absl::StrCat("1000\r\n", std::string(4096, 'x'), "\r\n")};
  HttpServer server(Always(lying));
  Client client(HtmlOnly());
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_TRUE(response.stopped);
  EXPECT_LT(response.wire_bytes, 4 * kDrainBytesMax);
}

// Nobody will look at it: it cannot fail.
TEST(UnwantedBody, MayBeDamagedOrCut) {
  const std::string gzip = absl::StrCat(kPng, "Content-Encoding: gzip\r\n");
  HttpServer server([&](const HttpRequest& request) {
    if (request.target == "/damaged") return Answer("200 OK", gzip, "no gzip");
    return support::RawThenClose(
        absl::StrCat("HTTP/1.1 200 OK\r\n", kPng, "Content-Length: 100\r\n\r\nshort"));
  });
  Client client(HtmlOnly());
  for (const char* path : {"/damaged", "/cut"}) {
    const Response response = client.Get(server.Url(path));
    EXPECT_EQ(response.error, Error::kNone) << path << response.detail;
    EXPECT_EQ(response.status, 200);
    EXPECT_TRUE(response.unwanted);
  }
}

TEST(UnwantedBody, IsWantedWithoutATypeOrWhenTheRequestSaysSo) {
  HttpServer server([](const HttpRequest& request) {
    return Answer("200 OK", request.target == "/untyped" ? "" : kPng, "body");
  });
  Client client(HtmlOnly());
  EXPECT_EQ(client.Get(server.Url("/untyped")).body, "body");
  const Response any = client.Get(Request{.url = server.Url("/"), .any_type = true});
  EXPECT_EQ(any.body, "body");
  EXPECT_FALSE(any.unwanted);
  EXPECT_EQ(server.requests().at(0).Header("Accept"), "text/html");
  EXPECT_EQ(server.requests().at(1).Header("Accept"), "*/*");
}

TEST(UnwantedBody, NothingIsLeftOfItForTheNextRequest) {
  HttpServer server([](const HttpRequest& request) {
    if (request.target == "/png") return Answer("200 OK", kPng, "x");
    return Answer("200 OK", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", Gzip("page"));
  });
  Client client(HtmlOnly());
  EXPECT_TRUE(client.Get(server.Url("/png")).unwanted);
  const Response page = client.Get(server.Url("/"));
  EXPECT_EQ(page.body, "page");
  EXPECT_FALSE(page.unwanted || page.stopped);
}

// The type of an interim response is not that of the answer.
TEST(UnwantedBody, IsJudgedByTheLastHead) {
  const HttpReply reply{.bytes = "HTTP/1.1 103 Early Hints\r\nContent-Type: image/png\r\n\r\n" +
                                 Answer("200 OK", "Content-Type: text/html\r\n", "page").bytes};
  HttpServer server(Always(reply));
  Client client(HtmlOnly());
  EXPECT_EQ(client.Get(server.Url("/")).body, "page");
}

TEST(UnwantedBody, OfA304IsNone) {
  HttpServer server(Always({.bytes = absl::StrCat("HTTP/1.1 304 Not Modified\r\n", kPng,
                                                  "Content-Length: 999999\r\n\r\n")}));
  Client client(HtmlOnly());
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.status, 304);
  EXPECT_FALSE(response.unwanted);
  EXPECT_EQ(client.Get(server.Url("/")).status, 304);
  EXPECT_EQ(server.connections(), 1);
}

}  // namespace
}  // namespace opic::fetch
