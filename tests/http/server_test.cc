// The server, alone with strangers.
#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "absl/time/clock.h"
#include "tests/http/raw_client.h"

namespace opic::http {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr absl::Duration kShort = absl::Milliseconds(300), kPatience = absl::Seconds(30);

absl::Time Now() { return base::RealClock::Get().Steady(); }

bool HasIpv6() {
  const int probe = socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 address = {};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const bool bound = bind(probe, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(probe);
  return bound;
}

class ServerTest : public testing::Test {
 protected:
  // Listens; `limits` are those of the test.
  uint16_t Serve(const Limits& limits = {}, const std::string& at = "127.0.0.1:0") {
    auto server = Server::Start(*ParseAddress(at), Pages(), base::RealClock::Get(),
                                ServerOptions{.limits = limits});
    if (!server.ok()) {
      ADD_FAILURE() << server.status();
      return 0;
    }
    server_ = *std::move(server);
    return server_->address().port;
  }
  void ExpectItServes() const {
    EXPECT_THAT(Get(server_->address().port, "/livez"), HasSubstr("\r\n\r\nok\n"));
  }

  // A short page and a long one; only for reading.
  Server::Handler Pages() const {
    return Server::AtOnce([this](const Request& request) -> Answer {
      if (request.method != "GET" && request.method != "HEAD")
        return {.status = 405, .body = "only GET and HEAD\n", .allow = "GET, HEAD"};
      if (request.path == "/livez") return {.body = "ok\n"};
      return {.content_type = "text/long", .body = std::string(long_, '#') + "end\n"};
    });
  }

  size_t long_ = 100'000;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, ARequestAConnection) {
  const uint16_t port = Serve();
  const std::string answer = Get(port, "/livez");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
  EXPECT_THAT(answer, HasSubstr("\r\n\r\nok\n"));
}

TEST_F(ServerTest, ALongAnswerArrivesWhole) {
  const std::string answer = Get(Serve(), "/long");
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/long\r\n"));
  EXPECT_THAT(answer, testing::EndsWith("#end\n"));
  EXPECT_GT(answer.size(), 100'000u);
}

TEST_F(ServerTest, HeadHasNoBody) {
  const RawClient client(Serve());
  client.Send("HEAD /livez HTTP/1.1\r\nHost: here\r\n\r\n");
  const std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 3\r\n"));
  EXPECT_THAT(answer, testing::EndsWith("\r\n\r\n"));
}

TEST_F(ServerTest, OverIpv6) {
  if (!HasIpv6()) GTEST_SKIP() << "this machine has no ::1";
  const uint16_t port = Serve({}, "[::1]:0");
  ASSERT_NE(port, 0);
  const RawClient client = RawClient::OverIpv6(port);
  client.Send("GET /livez HTTP/1.1\r\nHost: here\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), HasSubstr("\r\n\r\nok\n"));
}

TEST_F(ServerTest, AnAddressInUseIsRefused) {
  const uint16_t port = Serve();
  const auto second = Server::Start({.ip = "127.0.0.1", .port = port}, Pages(),
                                    base::RealClock::Get(), {.flag = "--http-x"});
  EXPECT_TRUE(absl::IsUnavailable(second.status())) << second.status();
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("--http-x: cannot listen on 127.0.0.1:" + std::to_string(port) +
                        ": Address already"));
}

// A body is not waited for.
TEST_F(ServerTest, APostIsRefusedBeforeItsBodyComes) {
  const RawClient client(Serve());
  client.Send("POST /long HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000000\r\n\r\nabc");
  const std::string answer = client.ReadToEnd();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(answer, HasSubstr("Allow: GET, HEAD\r\n"));
  ExpectItServes();
}

TEST_F(ServerTest, ABodyWithAGetIsNotRead) {
  const RawClient client(Serve());
  client.Send("GET /livez HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_THAT(client.ReadToEnd(), HasSubstr("\r\n\r\nok\n"));
}

TEST_F(ServerTest, AHugeHeaderIsRefused) {
  const uint16_t port = Serve();
  for (const std::string& head :
       {"GET /livez HTTP/1.1\r\nHost: here\r\nX-Long: " + std::string(1'000'000, 'x') + "\r\n\r\n",
        "GET /livez HTTP/1.1\r\nHost: here\r\n" + std::string(50'000, 'y') + "\r\n\r\n",
        "GET /" + std::string(1'000'000, 'z') + " HTTP/1.1\r\nHost: here\r\n\r\n"}) {
    const RawClient client(port);
    client.Send(head);
    // What it says may be lost, because it does not read on.
    EXPECT_THAT(client.ReadToEnd(), AnyOf("", StartsWith("HTTP/1.1 4"))) << head.substr(0, 60);
    ExpectItServes();
  }
}

TEST_F(ServerTest, ManyHeaderLinesAreRefused) {
  std::string head = "GET /livez HTTP/1.1\r\nHost: here\r\n";
  for (int line = 0; line < 20'000; ++line) head += "a:b\r\n";
  const RawClient client(Serve());
  client.Send(head);
  EXPECT_THAT(client.ReadToEnd(), AnyOf("", StartsWith("HTTP/1.1 4")));
  ExpectItServes();
}

TEST_F(ServerTest, WhatIsNoHttpIsRefused) {
  const uint16_t port = Serve();
  for (const std::string& bytes :
       {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15),
        std::string("\r\n\r\n\r\n\r\n"), std::string("GET\r\n\r\n"), std::string(3000, '\0'),
        std::string("GET /livez HTTP/1.1\r\nContent-Length: -5\r\n\r\n"),
        std::string("GET /livez HTTP/9.9\r\n\r\n")}) {
    const RawClient client(port);
    client.Send(bytes);
    ExpectItServes();  // meanwhile
  }
}

// One byte now and then is no silence.
TEST_F(ServerTest, ASlowClientIsCut) {
  const uint16_t port = Serve({.connection_time_max = kShort});
  const RawClient slow(port), silent(port), half(port);
  half.Send("GET /livez HTTP/1.1\r\nX: ");
  const absl::Time begin = Now();
  while (!slow.ended() || !silent.ended() || !half.ended()) {
    ASSERT_LT(Now() - begin, kPatience);
    slow.Send("G");
    absl::SleepFor(absl::Milliseconds(5));
  }
  EXPECT_GE(Now() - begin, kShort);
  ExpectItServes();
}

// The kernel's buffers are full. Nobody else of its address is served until it is cut.
TEST_F(ServerTest, AClientThatDoesNotReadIsCut) {
  long_ = 50'000'000;
  const uint16_t port = Serve({.per_address_max = 1, .connection_time_max = kShort});
  const RawClient deaf(port);
  deaf.Send("GET /long HTTP/1.1\r\nHost: here\r\n\r\n");
  const absl::Time begin = Now();
  while (Get(port, "/livez").empty()) {
    ASSERT_LT(Now() - begin, kPatience);
    absl::SleepFor(absl::Milliseconds(5));
  }
  EXPECT_LT(deaf.ReadToEnd().size(), 50'000'000u);
}

TEST_F(ServerTest, AnAddressHasItsShareOnly) {
  const uint16_t port = Serve({.per_address_max = 4});
  std::vector<std::unique_ptr<RawClient>> crowd;
  for (int client = 0; client < 50; ++client)
    crowd.push_back(std::make_unique<RawClient>(port, "127.0.0.2"));
  EXPECT_EQ(crowd.back()->ReadToEnd(), "") << "one too many";
  EXPECT_FALSE(crowd.front()->ended());
  ExpectItServes();  // 127.0.0.1
}

TEST_F(ServerTest, ForANewerOneTheOldestIsCut) {
  const uint16_t port = Serve({.connections_max = 8, .per_address_max = 2});
  std::vector<std::unique_ptr<RawClient>> crowd;
  for (int client = 0; client < 100; ++client) {
    crowd.push_back(std::make_unique<RawClient>(port, "127.0.1." + std::to_string(1 + client / 2)));
  }
  ExpectItServes();
  EXPECT_EQ(crowd.front()->ReadToEnd(), "");
  crowd.clear();
  ExpectItServes();
}

TEST_F(ServerTest, ItStopsWithClientsAtHand) {
  const RawClient silent(Serve());
  silent.Send("GET /livez");
  server_.reset();
  EXPECT_EQ(silent.ReadToEnd(), "");
}

}  // namespace
}  // namespace opic::http
