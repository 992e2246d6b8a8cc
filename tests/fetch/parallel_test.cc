// Several requests to one host at once: over one connection where it speaks HTTP/2.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/byte_budget.h"
#include "tests/fetch/client.h"
#include "tests/fetch/tls_servers.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;

constexpr size_t kAtOnce = 8;

// Answers "first", and nothing to what holds on.
HttpReply AnswerFirst(const HttpRequest& request) {
  if (request.target.ends_with("first")) return Ok("x");
  return HttpReply{.then = HttpReply::Then::kSilence};
}

class ParallelTest : public testing::Test {
 protected:
  void SetUp() override {
    nginx_ = StartNginx(certificate_, behind_.port());
    if (!nginx_.ok()) GTEST_SKIP() << "no nginx on this machine";
    options_.ca_file = certificate_.file();
    options_.connect_to = {absl::StrCat("::127.0.0.1:", nginx_.port)};
  }
  // Of all requests that the server behind it has seen.
  std::set<std::string> Connections() {
    std::set<std::string> numbers;
    for (const HttpRequest& request : behind_.requests())
      numbers.insert(request.Header("X-Connection"));
    return numbers;
  }
  void HoldOn(Client& client) {
    for (uint64_t i = 0; i < kAtOnce; ++i) {
      ASSERT_TRUE(
          client.Submit({.ticket = i, .url = absl::StrCat("https://site.example/behind/", i)}));
    }
  }

  // Until the fetcher has begun all of them and, asked once more, has opened their connections.
  void AwaitBegun(Client& client) {
    for (int turn = 0; turn < 2; ++turn) {
      struct Begun {
        std::atomic<size_t> count = 0;
        absl::Notification all;
      };
      const auto begun = std::make_shared<Begun>();
      client.fetcher().Withdraw([begun](const Fetcher::UnderWay&) {
        if (++begun->count == kAtOnce) begun->all.Notify();
        return false;
      });
      ASSERT_TRUE(begun->all.WaitForNotificationWithTimeout(absl::Seconds(20)));
    }
  }

  Certificate certificate_;
  Options options_ = Local();
  HttpServer behind_{AnswerFirst};
  TlsServer nginx_;
};

TEST_F(ParallelTest, RequestsShareTheConnectionThatIsThere) {
  Client client(options_);
  EXPECT_EQ(client.Get("https://site.example/behind/first").body, "x");
  HoldOn(client);
  EXPECT_TRUE(behind_.AwaitRequests(1 + kAtOnce)) << "they wait for each other";
  EXPECT_EQ(Connections().size(), 1u);
}

// A host is asked a delay after the request before: were all to wait for one slow handshake, they
// would reach it together.
TEST_F(ParallelTest, RequestsDoNotWaitForEachOthersHandshake) {
  Client client(options_);
  nginx_.child->Signal(SIGSTOP);  // no handshake ends before all have begun
  ASSERT_NO_FATAL_FAILURE(HoldOn(client));
  ASSERT_NO_FATAL_FAILURE(AwaitBegun(client));
  nginx_.child->Signal(SIGCONT);
  EXPECT_TRUE(behind_.AwaitRequests(kAtOnce)) << "they wait for each other";
  EXPECT_GT(Connections().size(), 1u);
  EXPECT_EQ(client.Get("https://site.example/behind/first").body, "x");
  EXPECT_LE(Connections().size(), kAtOnce) << "a connection is there";
}

TEST_F(ParallelTest, WhatAServersLimitOfStreamsLeavesOverGetsOtherConnections) {
  const Certificate certificate;
  const TlsServer narrow = StartNginx(certificate, behind_.port(), /*streams=*/2);
  ASSERT_TRUE(narrow.ok());
  options_.ca_file = certificate.file();
  options_.connect_to = {absl::StrCat("::127.0.0.1:", narrow.port)};
  Client client(options_);
  EXPECT_EQ(client.Get("https://site.example/behind/first").body, "x");
  HoldOn(client);
  EXPECT_TRUE(behind_.AwaitRequests(1 + kAtOnce)) << "they wait for each other";
  EXPECT_GE(Connections().size(), kAtOnce / 2);
}

TEST_F(ParallelTest, EachCountsForItsAddress) {
  options_.per_address_max = 3;
  Client client(options_);
  HoldOn(client);
  for (size_t i = 3; i < kAtOnce; ++i) EXPECT_EQ(client.Take(1)[0].error, Error::kAddressBusy);
  EXPECT_TRUE(behind_.AwaitRequests(3));
  EXPECT_EQ(client.waiting(), 0u);
}

TEST_F(ParallelTest, OneThatIsWithdrawnLeavesTheOthersTheirConnection) {
  Client client(options_);
  EXPECT_EQ(client.Get("https://site.example/behind/first").body, "x");
  HoldOn(client);
  ASSERT_TRUE(behind_.AwaitRequests(1 + kAtOnce));
  client.fetcher().Withdraw(
      [](const Fetcher::UnderWay& request) { return request.url.ends_with("/3"); });
  EXPECT_EQ(client.Take(1)[0].ticket, 3u);
  EXPECT_EQ(client.Get("https://site.example/behind/first").body, "x");
  EXPECT_EQ(Connections().size(), 1u);
}

// Held back, one of them would hold back the one that reads alone: none would end before its time.
TEST_F(ParallelTest, WithoutRoomAnAnswerOnASharedConnectionEndsOrComesWhole) {
  constexpr size_t kBig = 1 << 20;
  base::ByteBudget room(2 * kBig);
  options_.bodies = &room;
  options_.body_bytes_max = kBig;
  options_.total_timeout = options_.low_speed_time = absl::Seconds(300);
  Client client(options_);
  EXPECT_EQ(client.Get("https://site.example/behind/first").body, "x");
  for (uint64_t i = 0; i < kAtOnce; ++i)
    ASSERT_TRUE(client.Submit({.ticket = i, .url = "https://site.example/big"}));
  size_t whole = 0;
  for (size_t i = 0; i < kAtOnce; ++i) {
    const Response response = std::move(client.Take(1)[0]);  // and gives back what it holds
    if (response.error != Error::kNone) {
      EXPECT_EQ(response.error, Error::kNoRoom) << response.detail;
      continue;
    }
    EXPECT_EQ(response.body.size(), kBig);
    ++whole;
  }
  EXPECT_GE(whole, 1u);
  EXPECT_EQ(client.Get("https://site.example/big").body.size(), kBig) << "there is room again";
}

TEST(ParallelHttp1Test, EachHasAConnectionOfItsOwn) {
  HttpServer server(AnswerFirst);
  Client client;
  for (uint64_t i = 0; i < kAtOnce; ++i)
    ASSERT_TRUE(client.Submit({.ticket = i, .url = server.Url(absl::StrCat("/", i))}));
  EXPECT_TRUE(server.AwaitRequests(kAtOnce));
  EXPECT_EQ(server.connections(), static_cast<int>(kAtOnce));
}

}  // namespace
}  // namespace opic::fetch
