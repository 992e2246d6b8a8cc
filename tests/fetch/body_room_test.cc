// While the memory for answers is full, answers wait in their connections: none is lost, none is
// called slow for it, and one always goes on.
#include <gtest/gtest.h>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/byte_budget.h"
#include "tests/fetch/client.h"
#include "tests/fetch/packed.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::Answer;
using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;

constexpr size_t kBody = 1'000'000, kHeads = 100'000;

class BodyRoomTest : public testing::Test {
 protected:
  Options Bounded() {
    Options options = Local();
    options.bodies = &room_;
    options.body_bytes_max = kBody;
    return options;
  }
  base::HeldBytes Fill() {
    base::HeldBytes held(room_);
    held.Set(room_.limit());
    return held;
  }
  // Asks forty times before the first byte of the answer comes. `see` is shown each response whose
  // request was sent: others came too late, when it was full.
  void AskFortyTimes(HttpReply reply, absl::FunctionRef<void(const Response&)> see) {
    reply.delay = absl::Milliseconds(300);
    HttpServer server([&](const HttpRequest&) { return reply; });
    Options options = Bounded();
    options.in_flight_max = options.per_address_max = 40;
    Client client(options);
    for (uint64_t i = 0; i < 40; ++i) {
      ASSERT_TRUE(client.Submit({.ticket = i, .url = server.Url("/")}));
    }
    for (int i = 0; i < 40; ++i) {
      const Response response = std::move(client.Take(1)[0]);
      if (response.sent || response.error != Error::kNoRoom) see(response);
    }
  }

  base::ByteBudget room_{2 * kBody};
};

TEST_F(BodyRoomTest, AResponseHoldsItsBytesAsLongAsItIsKept) {
  HttpServer server([](const HttpRequest&) { return Ok(std::string(kBody / 2, 'x')); });
  Client client(Bounded());
  {
    const Response response = client.Get(server.Url("/"));
    EXPECT_EQ(response.error, Error::kNone);
    EXPECT_GE(room_.held(), kBody / 2);
    EXPECT_LE(room_.held(), kBody + 10'000);
  }
  EXPECT_EQ(room_.held(), 0u);
}

TEST_F(BodyRoomTest, ABodyTakesWhatItsHeaderPromises) {
  HttpServer server([](const HttpRequest&) { return Ok(std::string(37'000, 'x')); });
  base::ByteBudget room(128 << 20);
  Options options = Bounded();
  options.bodies = &room;
  Client client(options);
  EXPECT_EQ(client.Get(server.Url("/")).body, std::string(37'000, 'x'));
  EXPECT_GE(room.peak(), 37'000u);
  EXPECT_LE(room.peak(), 47'000u) << "it was doubled";
}

TEST_F(BodyRoomTest, APromiseIsWorthLittleAndNothingBeforeTheFirstByte) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n";
  HttpServer server([&](const HttpRequest& request) {
    const size_t sent = request.target == "/some" ? 20 : 0;
    return support::RawThenClose(head + std::string(sent, 'x'));
  });
  base::ByteBudget room(128 << 20);
  Options options = Bounded();
  options.bodies = &room;
  Client client(options);
  EXPECT_EQ(client.Get(server.Url("/none")).error, Error::kCut);
  EXPECT_LE(room.peak(), 10'000u);
  EXPECT_EQ(client.Get(server.Url("/some")).error, Error::kCut);
  EXPECT_GE(room.peak(), 128u << 10);
  EXPECT_LE(room.peak(), (128u << 10) + 10'000);
  EXPECT_EQ(room.held(), 0u);
}

TEST_F(BodyRoomTest, NothingIsAskedForWhileItIsFull) {
  HttpServer server([](const HttpRequest&) { return Ok("x"); });
  Client client(Bounded());
  base::HeldBytes held = Fill();
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kNoRoom);
  EXPECT_FALSE(response.sent);
  EXPECT_TRUE(server.requests().empty());
  held.Set(0);
  EXPECT_EQ(client.Get(server.Url("/")).body, "x");
}

// Twenty times as much as there is room for.
TEST_F(BodyRoomTest, ManyLargeBodiesAtOnceStayWithinTheRoom) {
  AskFortyTimes(Ok(std::string(kBody, 'x')), [](const Response& response) {
    EXPECT_EQ(response.error, Error::kNone) << response.detail;
    EXPECT_EQ(response.body.size(), kBody);
  });
  EXPECT_LE(room_.peak(), room_.limit() + 2 * kBody + kHeads);
  EXPECT_EQ(room_.held(), 0u);
}

class PackedBodyRoomTest : public BodyRoomTest, public testing::WithParamInterface<Coding> {};

INSTANTIATE_TEST_SUITE_P(Each, PackedBodyRoomTest, testing::ValuesIn(kCodings),
                         [](const auto& info) { return info.param.test; });

// Each would be a megabyte, and goes on to fifty, of some 1,000 bytes.
TEST_P(PackedBodyRoomTest, BombsWaitAndStayWithinTheRoom) {
  const std::string bomb = GetParam().pack(std::string(50 * kBody, ' '));
  const std::string header = absl::StrCat("Content-Encoding: ", GetParam().name, "\r\n");
  int read = 0;
  AskFortyTimes(Answer("200 OK", header, bomb), [&](const Response& response) {
    ++read;
    EXPECT_EQ(response.error, Error::kBodyTooLarge) << response.detail;
    EXPECT_EQ(response.body.size(), kBody);
  });
  EXPECT_GT(read, 2) << "none waited";
  EXPECT_LE(room_.peak(), room_.limit() + 3 * kBody + kHeads);
  EXPECT_EQ(room_.held(), 0u);
}

// Twenty times as much as there is room for.
TEST_P(PackedBodyRoomTest, WhatFitsIsReadWholeAfterItHasWaited) {
  std::string plain;
  for (uint32_t i = 0; plain.size() < kBody; ++i) plain += absl::StrCat(i * 2654435761U, " ");
  plain.resize(kBody);
  const std::string header = absl::StrCat("Content-Encoding: ", GetParam().name, "\r\n");
  AskFortyTimes(Answer("200 OK", header, GetParam().pack(plain)), [&](const Response& response) {
    EXPECT_EQ(response.error, Error::kNone) << response.detail;
    EXPECT_TRUE(response.body == plain);
  });
  EXPECT_LE(room_.peak(), room_.limit() + 3 * kBody + kHeads);
  EXPECT_EQ(room_.held(), 0u);
}

// Large answers that never end take seven eighths of the room at most: small ones pass.
TEST(LargeBodiesTest, SlowOnesLeaveRoomForSmallOnes) {
  HttpServer server([](const HttpRequest& request) {
    if (request.target == "/small") return Ok("x");
    return HttpReply{.bytes = absl::StrCat("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n",
                                           std::string(kBody - 100'000, 'x')),
                     .then = HttpReply::Then::kSilence};
  });
  base::ByteBudget room(20 * kBody);
  Options options = Local();
  options.bodies = &room;
  options.body_bytes_max = kBody;
  options.per_address_max = 40;
  Client client(options);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(client.Submit({.url = server.Url("/large")}));
  const absl::Time patience = absl::Now() + absl::Seconds(15);
  while (!room.crowded() && absl::Now() < patience) absl::SleepFor(absl::Milliseconds(1));
  ASSERT_TRUE(room.crowded());
  for (int i = 0; i < 20; ++i) {
    const Response response = client.Get(server.Url("/small"));
    EXPECT_EQ(response.error, Error::kNone) << response.detail;
    EXPECT_EQ(response.body, "x");
  }
  EXPECT_LT(room.held(), room.limit());
}

// Small ones that hardly come on fill what large ones leave: nobody else could be asked before the
// time of all requests is over.
TEST(LargeBodiesTest, ManySlowSmallOnesEndWhileItIsFull) {
  const auto part = [](size_t declared, size_t sent) {
    return HttpReply{.bytes = absl::StrCat("HTTP/1.1 200 OK\r\nContent-Length: ", declared,
                                           "\r\n\r\n", std::string(sent, 'x')),
                     .then = HttpReply::Then::kSilence};
  };
  HttpServer server([&](const HttpRequest& request) {
    if (request.target == "/good") return Ok("x");
    return request.target == "/small" ? part(38'000, 37'000) : part(kBody - 1, kBody - 100'000);
  });
  base::ByteBudget room(20 * kBody);
  Options options = Local();
  options.bodies = &room;
  options.body_bytes_max = kBody;
  options.in_flight_max = options.per_address_max = 300;
  options.low_speed_bytes_per_s = 0;  // they are not as slow as that
  options.low_speed_time = absl::Seconds(4);
  options.total_timeout = absl::Minutes(10);
  Client client(options);
  const auto send = [&](const std::string& target, int count) {
    for (int i = 0; i < count; ++i) ASSERT_TRUE(client.Submit({.url = server.Url(target)}));
  };
  const absl::Time patience = absl::Now() + absl::Seconds(60);
  send("/large", 30);
  while (!room.crowded() && absl::Now() < patience) absl::SleepFor(absl::Milliseconds(1));
  send("/small", 200);
  while (!room.full() && absl::Now() < patience) absl::SleepFor(absl::Milliseconds(1));
  ASSERT_TRUE(room.full());
  const Request good = {.ticket = 1, .url = server.Url("/good")};
  ASSERT_TRUE(client.Submit(good));
  int refused = 0, slow = 0;
  bool came = false;
  while (!came && absl::Now() < patience) {
    const Response response = std::move(client.Take(1)[0]);
    slow += response.error == Error::kTooSlow;
    if (response.ticket != good.ticket) continue;
    came = response.error == Error::kNone;
    refused += !came;
    if (!came) {
      ASSERT_TRUE(client.Submit(good));
    }
  }
  EXPECT_TRUE(came);
  EXPECT_GT(refused, 0) << "it was not full";
  EXPECT_GT(slow, 0);
}

// Longer than an answer may be slow, and until after the request's own time.
TEST_F(BodyRoomTest, WhatWasHeldBackIsNeitherSlowNorLateAndGoesOn) {
  HttpServer server([](const HttpRequest&) {
    HttpReply reply = Ok(std::string(kBody / 2, 'x'));
    reply.delay = absl::Milliseconds(1600);
    return reply;
  });
  Options options = Bounded();
  options.low_speed_time = absl::Seconds(2);
  options.total_timeout = absl::Seconds(3);
  Client client(options);
  ASSERT_TRUE(client.Submit({.url = server.Url("/")}));
  ASSERT_TRUE(server.AwaitRequests(1));
  absl::SleepFor(absl::Milliseconds(1400));
  base::HeldBytes held = Fill();
  absl::SleepFor(absl::Milliseconds(2200));
  EXPECT_EQ(client.waiting(), 0u);
  held.Set(0);
  const std::vector<Response> responses = client.Take(1);
  EXPECT_EQ(responses[0].error, Error::kNone) << responses[0].detail;
  EXPECT_EQ(responses[0].body.size(), kBody / 2);
}

}  // namespace
}  // namespace opic::fetch
