// Many requests at once: bounds, fairness, and the end of all of them.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <set>

#include "absl/strings/str_cat.h"
#include "tests/fetch/client.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;
using ::testing::Each;
using ::testing::Field;
using Then = ::opic::support::HttpReply::Then;

HttpReply Stalling(const HttpRequest&) { return {.bytes = "", .then = Then::kSilence}; }

// Crowds go to one address here, so its own limit is out of the way unless it is the subject.
Options Crowded(int in_flight_max) {
  Options options = Local();
  options.in_flight_max = options.per_address_max = in_flight_max;
  return options;
}

void SubmitMany(Client& client, const std::string& url, int count) {
  for (int i = 0; i < count; ++i) {
    ASSERT_TRUE(client.Submit({.ticket = static_cast<uint64_t>(i), .url = url}));
  }
}

// Both ends of 500 connections are ours: more files than the usual soft limit of 1,024 leaves.
void AllowManyFiles() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = std::max(files.rlim_cur, std::min<rlim_t>(files.rlim_max, 4096));
  setrlimit(RLIMIT_NOFILE, &files);
}

TEST(Crowd, StallingServerSlowsNoOther) {
  AllowManyFiles();
  HttpServer slow(Stalling);
  HttpServer fast([](const HttpRequest&) { return Ok("x"); });
  Client client(Crowded(550));
  SubmitMany(client, slow.Url("/"), 500);
  ASSERT_TRUE(slow.AwaitRequests(500));
  const absl::Time before = absl::Now();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.Get(fast.Url("/")).error, Error::kNone);
  EXPECT_LT(absl::Now() - before, absl::Seconds(5));
  EXPECT_EQ(client.fetcher().in_flight(), 500);
}

TEST(Crowd, EveryRequestEndsInExactlyOneResponse) {
  HttpServer server([](const HttpRequest& request) {
    return request.connection % 3 == 0 ? Stalling(request) : Ok("x");
  });
  Options options = Crowded(300);
  options.total_timeout = absl::Seconds(2);
  Client client(options);
  SubmitMany(client, server.Url("/"), 300);
  std::set<uint64_t> tickets;
  for (const Response& response : client.Take(300)) tickets.insert(response.ticket);
  EXPECT_EQ(tickets.size(), 300u);
  EXPECT_EQ(client.fetcher().in_flight(), 0);
}

TEST(Crowd, SubmitRefusesAboveTheLimitUntilAResponseCame) {
  HttpServer server(Stalling);
  Options options = Crowded(3);
  options.total_timeout = absl::Milliseconds(300);
  Client client(options);
  SubmitMany(client, server.Url("/"), 3);
  EXPECT_FALSE(client.Submit({.url = server.Url("/")}));
  client.Take(3);
  EXPECT_TRUE(client.Submit({.url = server.Url("/")}));
}

TEST(Crowd, RequestsToOneAddressAreLimitedAcrossServers) {
  HttpServer slow(Stalling), other(Stalling);
  Options options = Crowded(20);
  options.per_address_max = 2;
  Client client(options);
  SubmitMany(client, slow.Url("/"), 2);
  ASSERT_TRUE(slow.AwaitRequests(2));
  const Response third = client.Get(other.Url("/"));
  EXPECT_EQ(third.error, Error::kAddressBusy);
  EXPECT_FALSE(third.sent);
  EXPECT_EQ(third.address, "127.0.0.1");
  EXPECT_TRUE(other.requests().empty());
}

// Ten names at one address, which may be asked once at a time: four connections wait there for
// the next request to their names.
TEST(Crowd, FewConnectionsAreKeptToOneAddress) {
  HttpServer server([](const HttpRequest&) { return Ok("x"); });
  Options options = Crowded(20);
  options.per_address_max = 1;
  options.connect_to = {absl::StrCat("::127.0.0.1:", server.port())};
  Client client(options);
  const auto ask = [&](int name) {
    const int before = server.connections();
    EXPECT_EQ(client.Get(absl::StrCat("http://host", name, ".test/")).error, Error::kNone);
    return server.connections() > before ? "new" : "kept";
  };
  for (int name = 0; name < 10; ++name) EXPECT_EQ(ask(name), std::string("new"));
  for (int name = 0; name < 4; ++name) EXPECT_EQ(ask(name), std::string("kept")) << name;
  for (int name = 4; name < 10; ++name) EXPECT_EQ(ask(name), std::string("new")) << name;
}

TEST(Crowd, AnEndedRequestFreesItsAddress) {
  HttpServer server([](const HttpRequest& request) {
    return request.target == "/stall" ? Stalling(request) : Ok("x");
  });
  Options options = Crowded(20);
  options.per_address_max = 1;
  options.total_timeout = absl::Milliseconds(300);
  Client client(options);
  EXPECT_EQ(client.Get(server.Url("/stall")).error, Error::kTimeout);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(client.Get(server.Url("/")).error, Error::kNone);
}

TEST(Crowd, StopEndsRequestsUnderWayAndTakesNoMore) {
  HttpServer server(Stalling);
  Client client(Crowded(20));
  SubmitMany(client, server.Url("/"), 10);
  ASSERT_TRUE(server.AwaitRequests(10));
  client.fetcher().Stop();
  ASSERT_EQ(client.waiting(), 10u);
  const std::vector<Response> responses = client.Take(10);
  EXPECT_THAT(responses, Each(Field(&Response::error, Error::kStopped)));
  EXPECT_THAT(responses, Each(Field(&Response::sent, true)));
  EXPECT_FALSE(client.Submit({.url = server.Url("/")}));
  client.fetcher().Stop();
}

TEST(Crowd, RequestsNotYetStartedEndWithStopToo) {
  HttpServer server(Stalling);
  Client client(Crowded(200));
  SubmitMany(client, server.Url("/"), 200);
  client.fetcher().Stop();
  EXPECT_EQ(client.waiting(), 200u);
  EXPECT_EQ(client.fetcher().in_flight(), 0);
}

// The first callback submits the next request, as a crawler does.
TEST(Crowd, CallbackMaySubmit) {
  HttpServer server([](const HttpRequest&) { return Ok("x"); });
  absl::Mutex mu;
  int left = 50;
  Fetcher* fetcher = nullptr;
  Options options = Local();
  options.in_flight_max = 1;
  auto started = Fetcher::Start(options, [&](Response response) {
    absl::MutexLock lock(&mu);
    EXPECT_EQ(response.error, Error::kNone);
    if (--left == 0) return;
    EXPECT_TRUE(fetcher->Submit({.url = server.Url("/")}));
  });
  fetcher = started->get();
  EXPECT_TRUE(fetcher->Submit({.url = server.Url("/")}));
  absl::MutexLock lock(&mu);
  auto done = [&] { return left == 0; };
  EXPECT_TRUE(mu.AwaitWithTimeout(absl::Condition(&done), absl::Seconds(20)));
}

TEST(Crowd, ItsSizeMayChange) {
  HttpServer slow(Stalling);
  Client client(Crowded(2));
  SubmitMany(client, slow.Url("/"), 2);
  EXPECT_FALSE(client.Submit({.url = slow.Url("/")}));
  client.fetcher().LimitInFlight(3);
  EXPECT_TRUE(client.Submit({.url = slow.Url("/")}));
  EXPECT_FALSE(client.Submit({.url = slow.Url("/")}));
  client.fetcher().LimitInFlight(1);
  EXPECT_FALSE(client.Submit({.url = slow.Url("/")}));
  EXPECT_EQ(client.fetcher().in_flight(), 3) << "what is under way goes on";
}

TEST(Crowd, CpuTimeGrowsAndOutlivesTheThread) {
  HttpServer server([](const HttpRequest&) { return Ok(std::string(100'000, 'x')); });
  Client client;
  for (int i = 0; i < 20; ++i) client.Get(server.Url("/"));
  const absl::Duration before = client.fetcher().cpu_time();
  EXPECT_GT(before, absl::ZeroDuration());
  client.fetcher().Stop();
  EXPECT_GE(client.fetcher().cpu_time(), before);
  EXPECT_LT(client.fetcher().cpu_time(), absl::Seconds(20));
}

}  // namespace
}  // namespace opic::fetch
