// Whatever a server does, a request ends, in time, within its memory, with the right word for it.
#include <gtest/gtest.h>

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
using Then = ::opic::support::HttpReply::Then;

// Small limits, short times.
Options Strict() {
  Options options = Local();
  options.header_bytes_max = 4000;
  options.body_bytes_max = 10'000;
  options.total_timeout = absl::Milliseconds(300);
  return options;
}

Response Fetch(HttpReply reply, const Options& options = Strict()) {
  HttpServer server([reply](const HttpRequest&) { return reply; });
  Client client(options);
  return client.Get(server.Url("/"));
}

// Hostile answers that need a moment to arrive: no hurry.
Options Unhurried() {
  Options options = Strict();
  options.total_timeout = absl::Seconds(20);
  return options;
}

TEST(HostileServer, EndlessBodyEndsAtTheLimitAndKeepsWhatCame) {
  const Response response = Fetch(
      {.bytes = "HTTP/1.1 200 OK\r\n\r\n", .then = Then::kRepeat, .repeat = std::string(999, 'x')},
      Unhurried());
  EXPECT_EQ(response.error, Error::kBodyTooLarge);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, std::string(10'000, 'x'));
  EXPECT_LE(response.body.capacity(), 10'001u);
}

TEST(HostileServer, BodyOfExactlyTheLimitIsWhole) {
  const Response response = Fetch(Ok(std::string(10'000, 'x')), Unhurried());
  EXPECT_EQ(response.error, Error::kNone);
  EXPECT_EQ(response.body.size(), 10'000u);
}

TEST(HostileServer, RequestsOwnBodyLimitGoesBeforeTheOption) {
  HttpServer server([](const HttpRequest&) { return Ok("0123456789"); });
  Client client(Unhurried());
  const Response response = client.Get(Request{.url = server.Url("/"), .body_bytes_max = 4});
  EXPECT_EQ(response.error, Error::kBodyTooLarge);
  EXPECT_EQ(response.body, "0123");
}

TEST(HostileServer, EndlessHeadersEndAtTheLimit) {
  const Response response = Fetch(
      {.bytes = "HTTP/1.1 200 OK\r\n", .then = Then::kRepeat, .repeat = "X-Again: and again\r\n"},
      Unhurried());
  EXPECT_EQ(response.error, Error::kHeaderTooLarge);
  EXPECT_LT(response.wire_bytes, 100'000u);
}

TEST(HostileServer, EndlessInterimResponsesEndAtTheLimit) {
  const Response response = Fetch({.bytes = "HTTP/1.1 103 x\r\n\r\n",
                                   .then = Then::kRepeat,
                                   .repeat = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"},
                                  Unhurried());
  EXPECT_EQ(response.error, Error::kHeaderTooLarge);
}

TEST(HostileServer, EndlessTrailersEndAtTheLimit) {
  const Response response =
      Fetch({.bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n",
             .then = Then::kRepeat,
             .repeat = "X-Again: and again\r\n"},
            Unhurried());
  EXPECT_EQ(response.error, Error::kHeaderTooLarge);
}

TEST(HostileServer, HugeHeaderLineIsTooLarge) {
  const Response response = Fetch(
      {.bytes = "HTTP/1.1 200 OK\r\nX: ", .then = Then::kRepeat, .repeat = std::string(999, 'x')},
      Unhurried());
  EXPECT_EQ(response.error, Error::kHeaderTooLarge);
}

TEST(HostileServer, GzipIsDecoded) {
  const Response response =
      Fetch(Answer("200 OK", "Content-Encoding: gzip\r\n", Gzip("hello hello")), Unhurried());
  EXPECT_EQ(response.error, Error::kNone);
  EXPECT_EQ(response.body, "hello hello");
}

// 20 MB of zeroes in 20 KB: only the limit's worth is ever held.
TEST(HostileServer, GzipBombEndsAtTheDecodedLimit) {
  const Response response =
      Fetch(Answer("200 OK", "Content-Encoding: gzip\r\n", Gzip(std::string(20 << 20, '\0'))),
            Unhurried());
  EXPECT_EQ(response.error, Error::kBodyTooLarge);
  EXPECT_EQ(response.body.size(), 10'000u);
}

TEST(HostileServer, BrokenGzipIsABadEncoding) {
  std::string gzip = Gzip(std::string(5000, 'x'));
  gzip[12] ^= 0x55, gzip[13] ^= 0x55;
  const Response response =
      Fetch(Answer("200 OK", "Content-Encoding: gzip\r\n", gzip), Unhurried());
  EXPECT_EQ(response.error, Error::kBadEncoding);
  EXPECT_EQ(response.body, "");
}

TEST(HostileServer, ACutGzipIsABadEncoding) {
  const std::string gzip = Gzip(std::string(5000, 'x'));
  for (const std::string& body : {gzip.substr(0, 5), gzip.substr(0, gzip.size() - 1),
                                  gzip + gzip.substr(0, gzip.size() - 9), std::string("plain")}) {
    EXPECT_EQ(Fetch(Answer("200 OK", "Content-Encoding: gzip\r\n", body), Unhurried()).error,
              Error::kBadEncoding);
  }
  EXPECT_EQ(Fetch(Answer("200 OK", "Content-Encoding: gzip\r\n", ""), Unhurried()).error,
            Error::kNone);
}

// As browsers and gzip(1) read it.
TEST(HostileServer, GzipOfSeveralMembersAndTrailingBytesIsRead) {
  const std::string large(9'000, 'y');
  for (const std::string& trailing : {std::string(), std::string(10, '\0'), std::string("junk"),
                                      std::string("\x1f"), std::string("\x1f\x8b\xff")}) {
    const Response response = Fetch(Answer("200 OK", "Content-Encoding: X-GZip\r\n",
                                           Gzip("one ") + Gzip("") + Gzip(large) + trailing),
                                    Unhurried());
    EXPECT_EQ(response.error, Error::kNone) << response.detail;
    EXPECT_EQ(response.body, "one " + large);
  }
}

TEST(HostileServer, GzipByteByByteIsRead) {
  HttpReply reply =
      Answer("200 OK", "Content-Encoding: gzip\r\n", Gzip("one ") + Gzip("two") + "junk");
  reply.drip_bytes = 1;
  EXPECT_EQ(Fetch(std::move(reply), Unhurried()).body, "one two");
}

TEST(HostileServer, ManyMembersEndAtTheDecodedLimit) {
  std::string body;
  for (int i = 0; i < 1000; ++i) body += Gzip(std::string(100'000, '\0'));
  const Response response =
      Fetch(Answer("200 OK", "Content-Encoding: gzip\r\n", body), Unhurried());
  EXPECT_EQ(response.error, Error::kBodyTooLarge);
}

// "utf-8", "foo": seen in the wild, and read by browsers.
TEST(HostileServer, AnEncodingThatIsNoneIsIdentity) {
  for (const char* name : {"utf-8", "foo", "UTF-8, foo", "none", "identity"}) {
    const std::string line = "Content-Encoding: " + std::string(name) + "\r\n";
    const Response response = Fetch(Answer("200 OK", line, "text"), Unhurried());
    EXPECT_EQ(response.error, Error::kNone) << name;
    EXPECT_EQ(response.body, "text");
  }
}

TEST(HostileServer, AnEncodingThatCannotBeReadIsABadEncoding) {
  for (const char* name : {"compress", "zstd, dcz"}) {
    const std::string line = "Content-Encoding: " + std::string(name) + "\r\n";
    EXPECT_EQ(Fetch(Answer("200 OK", line, "x"), Unhurried()).error, Error::kBadEncoding) << name;
  }
}

TEST(HostileServer, ManyLayersOfEncodingAreABadEncoding) {
  std::string header = "Content-Encoding: gzip";
  for (int i = 0; i < 100; ++i) header += ", gzip";
  EXPECT_EQ(Fetch(Answer("200 OK", header + "\r\n", "x"), Unhurried()).error, Error::kBadEncoding);
}

// A frame (RFC 8878) of `blocks` times 128 KiB of `byte`, and of `text` as it is. A window of 8
// MiB.
std::string Zstd(int blocks, char byte, const std::string& text) {
  const auto block_header = [](bool last, uint32_t type, size_t size) {
    const uint32_t header = (last ? 1u : 0u) | type << 1 | static_cast<uint32_t>(size) << 3;
    return std::string{static_cast<char>(header), static_cast<char>(header >> 8),
                       static_cast<char>(header >> 16)};
  };
  constexpr uint32_t kRaw = 0, kRepeated = 1;
  std::string frame("\x28\xB5\x2F\xFD\x00\x68", 6);  // magic number, descriptor, window
  for (int i = 0; i < blocks; ++i) frame += block_header(false, kRepeated, 128 << 10) + byte;
  return frame + block_header(true, kRaw, text.size()) + text;
}

TEST(HostileServer, ZstdIsOfferedAndDecoded) {
  HttpServer server([](const HttpRequest&) {
    return Answer("200 OK", "Content-Encoding: zstd\r\n", Zstd(0, ' ', "hello"));
  });
  Client client(Unhurried());
  const Response response = client.Get(server.Url("/"));
  EXPECT_NE(server.requests().at(0).Header("Accept-Encoding").find("zstd"), std::string::npos);
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_EQ(response.body, "hello");
}

// 128 MB of zeroes in 4 KB.
TEST(HostileServer, ZstdBombEndsAtTheDecodedLimit) {
  const Response response =
      Fetch(Answer("200 OK", "Content-Encoding: zstd\r\n", Zstd(1000, '\0', "")), Unhurried());
  EXPECT_EQ(response.error, Error::kBodyTooLarge);
  EXPECT_EQ(response.body.size(), 10'000u);
}

TEST(HostileServer, ZstdOfSeveralFramesIsReadAndADamagedOneIsABadEncoding) {
  const std::string line = "Content-Encoding: zstd\r\n";
  const Response both =
      Fetch(Answer("200 OK", line, Zstd(0, ' ', "one ") + Zstd(0, ' ', "two")), Unhurried());
  EXPECT_EQ(both.body, "one two");
  std::string damaged = Zstd(0, ' ', "text");
  damaged[1] = 'x';
  EXPECT_EQ(Fetch(Answer("200 OK", line, damaged), Unhurried()).error, Error::kBadEncoding);
}

TEST(HostileServer, BodyShorterThanItsLengthIsCut) {
  const Response response =
      Fetch(RawThenClose("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort"), Unhurried());
  EXPECT_EQ(response.error, Error::kCut);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "");
  EXPECT_TRUE(response.sent);
}

TEST(HostileServer, ChunkedBodyWithoutItsEndIsCut) {
  EXPECT_EQ(Fetch(RawThenClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
                  Unhurried())
                .error,
            Error::kCut);
}

TEST(HostileServer, CloseWithoutAnAnswerIsCut) {
  const Response response = Fetch(RawThenClose(""), Unhurried());
  EXPECT_EQ(response.error, Error::kCut);
  EXPECT_EQ(response.status, 0);
}

TEST(HostileServer, CloseOnAcceptIsCut) {
  HttpServer server([](const HttpRequest&) { return Ok(""); }, {.greeting = RawThenClose("")});
  Client client(Unhurried());
  EXPECT_EQ(client.Get(server.Url("/")).error, Error::kCut);
}

TEST(HostileServer, ResetInTheBodyIsCut) {
  const Response response =
      Fetch({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", .then = Then::kReset},
            Unhurried());
  EXPECT_EQ(response.error, Error::kCut);
}

class Garbage : public ::testing::TestWithParam<const char*> {};
TEST_P(Garbage, IsReported) {
  const Response response = Fetch(RawThenClose(GetParam()), Unhurried());
  EXPECT_EQ(response.error, Error::kGarbage) << response.detail << " status " << response.status;
  EXPECT_EQ(response.body, "");
}
INSTANTIATE_TEST_SUITE_P(
    Answers, Garbage,
    ::testing::Values("SSH-2.0-OpenSSH_9.2\r\n", "\x16\x03\x01\x02", "<html>HTTP/0.9</html>",
                      // Browsers skip such a line; libcurl does not let it pass.
                      "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 1\r\n\r\nx",
                      "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 000 Zero\r\n\r\n",
                      "HTTP/1.1 099 Low\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/7.1 200 OK\r\n\r\n",
                      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes",
                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
                      "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nabcde"));

TEST(HostileServer, EndlessGarbageEnds) {
  HttpServer server([](const HttpRequest&) { return Ok(""); },
                    {.greeting = HttpReply{
                         .bytes = "?", .then = Then::kRepeat, .repeat = std::string(999, '\x80')}});
  Client client(Unhurried());
  EXPECT_EQ(client.Get(server.Url("/")).error, Error::kGarbage);
}

TEST(HostileServer, SilenceBeforeTheHeaderTimesOut) {
  const Response response = Fetch({.bytes = "", .then = Then::kSilence});
  EXPECT_EQ(response.error, Error::kTimeout);
  EXPECT_TRUE(response.sent);
  EXPECT_GE(response.ended - response.started, absl::Milliseconds(290));
  EXPECT_LT(response.ended - response.started, absl::Seconds(5));
}

TEST(HostileServer, SlowDripOfAHeaderTimesOut) {
  EXPECT_EQ(Fetch({.bytes = std::string("HTTP/1.1 200 OK\r\nX: ") + std::string(9999, 'x'),
                   .drip_bytes = 1,
                   .drip_pause = absl::Milliseconds(5)})
                .error,
            Error::kTimeout);
}

TEST(HostileServer, BodySlowerThanTheLowSpeedIsTooSlow) {
  Options options = Unhurried();
  options.low_speed_bytes_per_s = 5000;
  options.low_speed_time = absl::Seconds(1);
  const Response response = Fetch({.bytes = Ok(std::string(9999, 'x')).bytes,
                                   .drip_bytes = 5,
                                   .drip_pause = absl::Milliseconds(10)},
                                  options);
  EXPECT_EQ(response.error, Error::kTooSlow);
  EXPECT_EQ(response.body, "");
  EXPECT_LT(response.ended - response.started, absl::Seconds(10));
}

// The length allows it, the time does not: what a lying Content-Length promises is not awaited.
TEST(HostileServer, SilenceInTheBodyTimesOut) {
  const Response response = Fetch(
      {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\nabc", .then = Then::kSilence});
  EXPECT_EQ(response.error, Error::kTimeout);
  EXPECT_EQ(response.status, 200);
}

// Each coding may make a thousand bytes of one: in a row they make a server's bytes cost as much as
// it likes, before the first byte of a body is there to be counted.
TEST(HostileServer, ABodyThatWasEncodedMoreThanOnceIsRefusedAtItsHeader) {
  for (const char* header :
       {"Content-Encoding: zstd, zstd, zstd\r\n", "Content-Encoding: gzip, br\r\n",
        "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n"}) {
    HttpServer server([&](const HttpRequest&) { return Answer("200 OK", header, "body"); });
    Client client;
    const Response response = client.Get(server.Url("/"));
    EXPECT_EQ(response.error, Error::kBadEncoding) << header;
    EXPECT_EQ(response.body, "");
  }
}

}  // namespace
}  // namespace opic::fetch
