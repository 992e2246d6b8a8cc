// Whatever a server does, a request ends, in time, within its memory, with the right word for it.
#include <gtest/gtest.h>

#include "tests/fetch/client.h"
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

TEST(HostileServer, CloseWithoutAnAnswerIsNoAnswer) {
  const Response response = Fetch(RawThenClose(""), Unhurried());
  EXPECT_EQ(response.error, Error::kNoAnswer);
  EXPECT_EQ(response.status, 0);
}

// Which of the two depends on whether the request came before it.
TEST(HostileServer, CloseOnAcceptIsNoAnswerOrAReset) {
  HttpServer server([](const HttpRequest&) { return Ok(""); }, {.greeting = RawThenClose("")});
  Client client(Unhurried());
  const Error error = client.Get(server.Url("/")).error;
  EXPECT_TRUE(error == Error::kNoAnswer || error == Error::kReset) << Name(error);
}

TEST(HostileServer, ResetInTheBodyIsAReset) {
  const Response response =
      Fetch({.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", .then = Then::kReset},
            Unhurried());
  EXPECT_EQ(response.error, Error::kReset) << response.detail;
}

// Browsers skip such a line; libcurl does not let it pass.
TEST(HostileServer, AHeaderLineThatIsNoFieldIsABadHeader) {
  for (const std::string& line : {std::string("no colon"), std::string("X-Zero: a\0b", 11),
                                  std::string("Content-Length: -5")}) {
    const Response response =
        Fetch(RawThenClose("HTTP/1.1 200 OK\r\n" + line + "\r\n\r\nx"), Unhurried());
    EXPECT_EQ(response.error, Error::kBadHeader) << response.detail;
  }
}

TEST(HostileServer, ABodyThatIsNotChunkedAsItsHeaderSaysHasBadChunks) {
  const Response response =
      Fetch(RawThenClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"),
            Unhurried());
  EXPECT_EQ(response.error, Error::kBadChunks) << response.detail;
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
                      "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 000 Zero\r\n\r\n",
                      "HTTP/1.1 099 Low\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/7.1 200 OK\r\n\r\n",
                      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes"));

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

}  // namespace
}  // namespace opic::fetch
