// Requests that are taken back while their answers are awaited.
#include <gtest/gtest.h>

#include <set>

#include "tests/fetch/client.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;

HttpReply Answered(const HttpRequest& request) {
  if (request.target.starts_with("/ok")) return Ok("ok");
  if (request.target.starts_with("/begun")) {
    return {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome",
            .then = HttpReply::Then::kSilence};
  }
  return {.bytes = "", .then = HttpReply::Then::kSilence};
}

class WithdrawTest : public testing::Test {
 protected:
  void Submit(uint64_t ticket, const std::string& target) {
    ASSERT_TRUE(client_.Submit({.ticket = ticket, .url = server_.Url(target)}));
  }
  void Withdraw(const std::string& part) {
    client_.fetcher().Withdraw([part](const Fetcher::UnderWay& request) {
      return request.url.find(part) != std::string::npos;
    });
  }
  HttpServer server_{Answered};
  Client client_{Local()};
};

TEST_F(WithdrawTest, ThoseNamedEndAndTheOthersGoOn) {
  Submit(1, "/silent/a");
  Submit(2, "/silent/b");
  Submit(3, "/begun/a");
  ASSERT_TRUE(server_.AwaitRequests(3));
  Withdraw("/a");
  std::set<uint64_t> ended;
  for (const Response& response : client_.Take(2)) {
    EXPECT_EQ(response.error, Error::kWithdrawn);
    EXPECT_TRUE(response.sent);
    EXPECT_TRUE(response.body.empty());
    ended.insert(response.ticket);
  }
  EXPECT_EQ(ended, (std::set<uint64_t>{1, 3}));
  EXPECT_EQ(client_.fetcher().in_flight(), 1);
}

TEST_F(WithdrawTest, WhatIsTakenLaterGoesOnAlsoOnTheSameHandle) {
  Submit(1, "/begun/a");
  ASSERT_TRUE(server_.AwaitRequests(1));
  Withdraw("/");
  EXPECT_EQ(client_.Take(1)[0].error, Error::kWithdrawn);
  const Response response = client_.Get(server_.Url("/ok/a"));
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_EQ(response.body, "ok");
}

TEST_F(WithdrawTest, WhichIsToldWhatWasSent) {
  Submit(1, "/silent/a");
  ASSERT_TRUE(server_.AwaitRequests(1));
  client_.fetcher().Withdraw([](const Fetcher::UnderWay& request) { return !request.sent; });
  client_.fetcher().Withdraw([](const Fetcher::UnderWay& request) { return request.sent; });
  EXPECT_EQ(client_.Take(1)[0].error, Error::kWithdrawn);
}

TEST_F(WithdrawTest, ItsPlaceAtTheAddressIsFree) {
  Options options = Local();
  options.per_address_max = 1;
  Client client(options);
  ASSERT_TRUE(client.Submit({.ticket = 1, .url = server_.Url("/silent/a")}));
  ASSERT_TRUE(server_.AwaitRequests(1));
  client.fetcher().Withdraw([](const Fetcher::UnderWay&) { return true; });
  EXPECT_EQ(client.Take(1)[0].error, Error::kWithdrawn);
  EXPECT_EQ(client.Get(server_.Url("/ok")).error, Error::kNone);
}

TEST_F(WithdrawTest, AStoppedFetcherAsksNobody) {
  client_.fetcher().Stop();
  Withdraw("/");
  EXPECT_EQ(client_.waiting(), 0u);
}

}  // namespace
}  // namespace opic::fetch
