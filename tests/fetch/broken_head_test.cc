// A header line without a colon: browsers skip it, libcurl refuses the answer. It is asked for once
// more, and read through a filter.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "tests/fetch/client.h"
#include "tests/fetch/gzip.h"
#include "tests/fetch/tls_servers.h"
#include "tests/support/http_server.h"
#include "tests/support/socks_proxy.h"

namespace opic::fetch {
namespace {

using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::RawThenClose;
using ::opic::support::SocksProxy;
using Then = ::opic::support::HttpReply::Then;

const std::string kOk = "HTTP/1.1 200 OK\r\n";
const std::string kBroken = kOk + "garbage line here\r\n";

// Asks for it once more where the first answer says so, as the order desk does.
Response GetAgain(Client& client, const Request& request) {
  const Response first = client.Get(request);
  EXPECT_EQ(first.error, Error::kBadHeader) << first.detail;
  EXPECT_TRUE(first.ask_again);
  EXPECT_TRUE(first.sent);
  Response second = client.Get(request);
  EXPECT_FALSE(second.ask_again);
  return second;
}

Response GetAgain(HttpReply reply, const Options& options = Local()) {
  HttpServer server([&](const HttpRequest&) { return reply; });
  Client client(options);
  return GetAgain(client, {.url = server.Url("/")});
}

void ExpectPage(const Response& response, std::string_view body) {
  EXPECT_EQ(response.error, Error::kNone) << response.detail;
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, body);
}

TEST(BrokenHead, TheLineIsPassedOver) {
  const Response response =
      GetAgain(RawThenClose(kBroken + "ETag: \"1\"\r\nContent-Length: 4\r\n\r\npage"));
  ExpectPage(response, "page");
  EXPECT_EQ(response.etag, "\"1\"");
  EXPECT_EQ(response.address, "127.0.0.1");
  EXPECT_TRUE(response.sent);
  EXPECT_EQ(response.wire_bytes, kBroken.size() + 36);
}

TEST(BrokenHead, ABodyMayEndWithItsConnection) {
  ExpectPage(GetAgain(RawThenClose(kBroken + "\r\ngarbage\r\n")), "garbage\r\n");
  ExpectPage(GetAgain(RawThenClose("HTTP/1.0 200 OK\nA: b\n c\ngarbage\n\npage")), "page");
}

TEST(BrokenHead, ALargeBodyIsWhole) {
  const std::string body(5 << 20, 'x');
  const Response response = GetAgain(
      RawThenClose(absl::StrCat(kBroken, "Content-Length: ", body.size(), "\r\n\r\n", body)));
  EXPECT_TRUE(response.body == body) << response.body.size();
}

TEST(BrokenHead, ChunksAndCodingsAreAsEver) {
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";
  ExpectPage(GetAgain(RawThenClose(kBroken + chunked + "4\r\npage\r\n0\r\n\r\n")), "page");
  EXPECT_EQ(GetAgain(RawThenClose(kBroken + chunked + "zz\r\n")).error, Error::kBadChunks);
  EXPECT_EQ(GetAgain(RawThenClose(kBroken + chunked + "4\r\npa")).error, Error::kCut);
  const std::string gzip = Gzip("page");
  ExpectPage(GetAgain(RawThenClose(kBroken + "Content-Encoding: gzip\r\n\r\n" + gzip)), "page");
}

TEST(BrokenHead, RedirectsAndInterimAnswersAreAsEver) {
  const Response response = GetAgain(
      RawThenClose("HTTP/1.1 103 x\r\ngarbage\r\n\r\nHTTP/1.1 301 x\r\ngarbage\r\nLocation: "
                   "/there\r\n\r\n"));
  EXPECT_EQ(response.status, 301);
  EXPECT_EQ(response.location, "/there");
}

TEST(BrokenHead, BothRequestsAreTheSameButForTheConnection) {
  HttpServer server([](const HttpRequest&) { return RawThenClose(kBroken + "\r\n"); });
  Options options = Local();
  options.headers = {"X-Ours: 1"};
  options.host_access[server.Url("")].authorization = "Basic eA==";
  Client client(options);
  GetAgain(client, {.url = server.Url("/a?b=%20"), .etag = "\"1\"", .last_modified = "x"});
  const std::vector<HttpRequest> requests = server.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[1].Header("Connection"), "close");
  std::string second = requests[1].head;
  const std::string line = "\r\nConnection: close";
  second.erase(second.find(line), line.size());
  EXPECT_EQ(second, requests[0].head);
}

TEST(BrokenHead, CookiesAreKeptAndShown) {
  HttpServer server([](const HttpRequest&) {
    return RawThenClose(kBroken + "Set-Cookie: a=1\r\nContent-Length: 0\r\n\r\n");
  });
  Options options = Local();
  CookieJar jar(1 << 20);
  options.cookies = &jar;
  Client client(options);
  const Request request{.url = server.Url("/"), .cookies = true};
  EXPECT_EQ(GetAgain(client, request).cookies, 1u);
  EXPECT_EQ(client.Get(request).cookies, 1u);
  EXPECT_EQ(server.requests()[2].Header("Cookie"), "a=1");
}

// The filter is its own: not of another port, or of another host that comes after it.
TEST(BrokenHead, OtherOriginsAreAskedAsEver) {
  HttpServer broken([](const HttpRequest&) { return RawThenClose(kBroken + "\r\n"); });
  HttpServer server([](const HttpRequest&) { return support::Ok("page"); });
  Client client;
  GetAgain(client, {.url = broken.Url("/")});
  for (int i = 0; i < 2; ++i) ExpectPage(client.Get(server.Url("/")), "page");
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(client.Get(broken.Url("/other")).error, Error::kNone);
}

TEST(BrokenHead, WhatHasNoSuchLinePassesTheFilter) {
  std::atomic<bool> well = false;
  HttpServer server([&](const HttpRequest&) {
    return well ? support::Ok("page") : RawThenClose(kBroken + "\r\n");
  });
  Client client;
  GetAgain(client, {.url = server.Url("/")});
  well = true;
  for (int i = 0; i < 3; ++i) ExpectPage(client.Get(server.Url("/")), "page");
  EXPECT_EQ(server.connections(), 5) << "each has its own";
}

TEST(BrokenHead, EndlessLinesEndAtTheLimit) {
  Options options = Local();
  options.header_bytes_max = 4000;
  const Response response = GetAgain(
      {.bytes = kBroken, .then = Then::kRepeat, .repeat = "garbage line here\r\n"}, options);
  EXPECT_EQ(response.error, Error::kHeaderTooLarge) << response.detail;
  EXPECT_LT(response.wire_bytes, 100'000u);
}

TEST(BrokenHead, EndlessBodiesEndAtTheLimit) {
  Options options = Local();
  options.body_bytes_max = 100'000;
  const Response response = GetAgain(
      {.bytes = kBroken + "\r\n", .then = Then::kRepeat, .repeat = std::string(999, 'x')}, options);
  EXPECT_EQ(response.error, Error::kBodyTooLarge);
  EXPECT_EQ(response.body.size(), 100'000u);
}

// As without such a line.
TEST(BrokenHead, CutAnswersAreCut) {
  EXPECT_EQ(GetAgain(RawThenClose(kBroken + "Content-Length: 9\r\n\r\npage")).error, Error::kCut);
  EXPECT_EQ(
      GetAgain({.bytes = kBroken + "Content-Length: 9\r\n\r\npage", .then = Then::kReset}).error,
      Error::kReset);
  EXPECT_EQ(GetAgain({.bytes = kBroken + "\r\npage", .then = Then::kReset}).error, Error::kReset);
}

TEST(BrokenHead, AHeadThatIsCutIsAsWithoutTheLine) {
  for (const std::string& end : {std::string(), std::string("A: b\r\n"), std::string("A: b")}) {
    HttpServer server([&](const HttpRequest&) { return RawThenClose(kOk + end); });
    Client client;
    const Response plain = client.Get(server.Url("/"));
    const Response filtered = GetAgain(RawThenClose(kBroken + end));
    EXPECT_EQ(filtered.error, plain.error) << filtered.detail;
    EXPECT_EQ(filtered.status, plain.status);
  }
}

TEST(BrokenHead, AnAnswerWithoutABodyIsWholeHoweverItsConnectionEnds) {
  for (const char* status : {"204 No Content", "304 Not Modified"}) {
    const std::string bytes = absl::StrCat("HTTP/1.1 ", status, "\r\ngarbage line here\r\n\r\n");
    const Response response = GetAgain({.bytes = bytes, .then = Then::kReset});
    EXPECT_EQ(response.error, Error::kNone) << response.detail;
    EXPECT_EQ(response.status, std::atoi(status));
  }
}

// Many servers at one address: connections beyond some are not kept, but for the one that the
// filter is to read.
TEST(BrokenHead, TheAddressMayHaveManyConnections) {
  std::vector<std::unique_ptr<HttpServer>> others;
  Options options = Local();
  options.per_address_max = 1;
  Client client(options);
  for (int i = 0; i < 8; ++i) {
    others.push_back(
        std::make_unique<HttpServer>([](const HttpRequest&) { return support::Ok("page"); }));
    ExpectPage(client.Get(others.back()->Url("/")), "page");
  }
  HttpServer broken([](const HttpRequest&) { return RawThenClose(kBroken + "\r\npage"); });
  ExpectPage(GetAgain(client, {.url = broken.Url("/")}), "page");
}

// Takes a connection, answers one request with `answer`, and ends the next connection at once.
class ServerOfOne {
 public:
  explicit ServerOfOne(std::string answer) : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&here), size), 0);
    EXPECT_EQ(listen(listener_, 8), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size), 0);
    url_ = absl::StrCat("http://127.0.0.1:", ntohs(here.sin_port), "/");
    thread_ = std::thread([this, answer = std::move(answer)] {
      const int first = accept(listener_, nullptr, nullptr);
      char request[4096];
      if (recv(first, request, sizeof request, 0) > 0)
        send(first, answer.data(), answer.size(), MSG_NOSIGNAL);
      close(first);
      close(accept(listener_, nullptr, nullptr));
    });
  }
  ~ServerOfOne() {
    thread_.join();
    close(listener_);
  }
  const std::string& url() const { return url_; }

 private:
  const int listener_;
  std::string url_;
  std::thread thread_;
};

// Before libcurl has connected to the filter. It would wait for what it takes for silence.
TEST(BrokenHead, AServerThatEndsTheConnectionAtOnceIsNotWaitedFor) {
  ServerOfOne server(kBroken + "\r\n");
  Options options = Local();
  options.total_timeout = absl::Seconds(60);
  Client client(options);
  const Response response = GetAgain(client, {.url = server.url()});
  EXPECT_TRUE(response.error == Error::kNoAnswer || response.error == Error::kReset ||
              response.error == Error::kCut)
      << response.detail;
  EXPECT_FALSE(response.unheard);
  EXPECT_LT(response.ended - response.started, options.low_speed_time);
}

TEST(BrokenHead, SilenceTimesOut) {
  std::atomic<int> asked = 0;
  HttpServer server([&](const HttpRequest&) {
    return asked++ == 0 ? RawThenClose(kBroken + "\r\n")
                        : HttpReply{.bytes = kBroken, .then = Then::kSilence};
  });
  Options options = Local();
  options.total_timeout = absl::Milliseconds(300);
  Client client(options);
  const Response response = GetAgain(client, {.url = server.Url("/")});
  EXPECT_EQ(response.error, Error::kTimeout);
  EXPECT_LT(response.ended - response.started, absl::Seconds(5));
}

TEST(BrokenHead, AClosedPortRefusesTheConnection) {
  std::string url;
  Client client;
  {
    HttpServer server([&](const HttpRequest&) { return RawThenClose(kBroken + "\r\n"); });
    url = server.Url("/");
    GetAgain(client, {.url = url});
  }
  const Response response = client.Get(url);
  EXPECT_EQ(response.error, Error::kConnect) << response.detail;
  EXPECT_FALSE(response.sent);
}

TEST(BrokenHead, TheAddressCountsItsRequests) {
  std::atomic<bool> silent = false;
  HttpServer server([&](const HttpRequest&) {
    return silent ? HttpReply{.bytes = kBroken, .then = Then::kSilence}
                  : RawThenClose(kBroken + "\r\n");
  });
  Options options = Local();
  options.per_address_max = 1;
  Client client(options);
  GetAgain(client, {.url = server.Url("/")});
  silent = true;
  ASSERT_TRUE(client.Submit({.url = server.Url("/silent")}));
  ASSERT_TRUE(server.AwaitRequests(3));
  EXPECT_EQ(client.Get(server.Url("/")).error, Error::kAddressBusy);
  client.fetcher().Withdraw([](const Fetcher::UnderWay& one) { return one.sent; });
  EXPECT_EQ(client.Take(1)[0].error, Error::kWithdrawn);
  silent = false;
  EXPECT_EQ(client.Get(server.Url("/")).error, Error::kNone);
}

TEST(BrokenHead, NothingIsSentThatMayNotBe) {
  std::atomic<bool> may = true;
  HttpServer server([&](const HttpRequest&) { return RawThenClose(kBroken + "\r\n"); });
  Options options = Local();
  options.may_send = [&](std::string_view url) { return may && url == server.Url("/"); };
  Client client(options);
  GetAgain(client, {.url = server.Url("/")});
  may = false;
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kWithdrawn);
  EXPECT_FALSE(response.sent);
  EXPECT_EQ(server.requests().size(), 2u);
}

// The names are the same, and their address is not any more.
TEST(BrokenHead, AddressesAreCheckedAgain) {
  HttpServer server([&](const HttpRequest&) { return RawThenClose(kBroken + "\r\n"); });
  Options options = Local();
  options.loopback_only = true;
  options.connect_to = {absl::StrCat("a.example:80:127.0.0.1:", server.port()),
                        absl::StrCat("b.example:80:192.0.2.1:80")};
  Client client(options);
  GetAgain(client, {.url = "http://a.example/"});
  EXPECT_EQ(client.Get("http://b.example/").error, Error::kRefusedAddress);
}

TEST(BrokenHead, ManyAtOnceEndAndAreStopped) {
  std::atomic<bool> silent = false;
  HttpServer server([&](const HttpRequest&) {
    return silent ? HttpReply{.bytes = kBroken, .then = Then::kSilence}
                  : RawThenClose(kBroken + "\r\npage");
  });
  Options options = Local();
  options.per_address_max = 100;
  Client client(options);
  GetAgain(client, {.url = server.Url("/")});
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(client.Submit({.url = server.Url("/")}));
  for (const Response& response : client.Take(50)) ExpectPage(response, "page");
  silent = true;
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(client.Submit({.url = server.Url("/")}));
  ASSERT_TRUE(server.AwaitRequests(102));
  client.fetcher().Stop();
  for (const Response& response : client.Take(50)) EXPECT_EQ(response.error, Error::kStopped);
}

// Two bodies of what is there at most, as without the filter.
TEST(BrokenHead, LargeBodiesWaitForMemory) {
  const std::string body(1 << 20, 'x');
  HttpServer server([&](const HttpRequest&) { return RawThenClose(kBroken + "\r\n" + body); });
  base::ByteBudget bodies(2 << 20);
  Options options = Local();
  options.bodies = &bodies;
  Client client(options);
  GetAgain(client, {.url = server.Url("/")});
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(client.Submit({.url = server.Url("/")}));
  for (int i = 0; i < 8; ++i) {
    EXPECT_LE(bodies.held(), uint64_t{5} << 20);
    ExpectPage(client.Take(1)[0], body);
  }
}

TEST(BrokenHead, SocksProxiesCarryIt) {
  HttpServer server([](const HttpRequest&) { return RawThenClose(kBroken + "\r\npage"); });
  SocksProxy socks({.relay_port = server.port()});
  Options options = Local();
  options.proxy = socks.Url("socks5h");
  Client client(options);
  ExpectPage(GetAgain(client, {.url = "http://site.example/"}), "page");
  EXPECT_EQ(socks.asked(), (std::vector<std::string>(2, "name site.example:80")));
}

// It is an HTTP proxy's own connection to the host.
TEST(BrokenHead, ThroughAnHttpProxyHttpStaysAsItIs) {
  HttpServer proxy([](const HttpRequest&) { return RawThenClose(kBroken + "\r\npage"); });
  Options options = Local();
  options.proxy = proxy.Url("");
  Client client(options);
  const Response response = client.Get("http://site.example/");
  EXPECT_EQ(response.error, Error::kBadHeader);
  EXPECT_FALSE(response.ask_again);
}

class BrokenHeadTls : public ::testing::Test {
 protected:
  BrokenHeadTls() {
    EXPECT_TRUE(base::WriteFileDurably(certificate_.folder() + "/page", kBroken + "\r\npage").ok());
    server_ = StartOpenssl(certificate_, /*raw_files=*/true);
    options_.ca_file = certificate_.file();
    options_.connect_to = {absl::StrCat("::127.0.0.1:", server_.port)};
  }
  Certificate certificate_;
  TlsServer server_;
  Options options_ = Local();
};

TEST_F(BrokenHeadTls, TheLineIsPassedOver) {
  Client client(options_);
  ExpectPage(GetAgain(client, {.url = "https://site.example/page"}), "page");
}

TEST_F(BrokenHeadTls, ALargeBodyIsWhole) {
  const std::string body(3 << 20, 'x');
  const std::string answer =
      absl::StrCat(kBroken, "Content-Length: ", body.size(), "\r\n\r\n", body);
  ASSERT_TRUE(base::WriteFileDurably(certificate_.folder() + "/large", answer).ok());
  Client client(options_);
  const Response response = GetAgain(client, {.url = "https://site.example/large"});
  EXPECT_TRUE(response.body == body) << response.body.size();
  EXPECT_EQ(response.wire_bytes, answer.size());
}

TEST_F(BrokenHeadTls, CertificatesAreCheckedAgain) {
  options_.host_access["https://other.example"].insecure = true;
  Client client(options_);
  ExpectPage(GetAgain(client, {.url = "https://other.example/page"}), "page");
  ExpectPage(GetAgain(client, {.url = "https://site.example/page"}), "page");
  EXPECT_EQ(client.Get("https://third.example/page").error, Error::kTls);
}

TEST_F(BrokenHeadTls, TunnelsOfProxiesCarryIt) {
  HttpServer proxy([&](const HttpRequest&) {
    return HttpReply{.bytes = kOk + "\r\n", .then = Then::kTunnel, .tunnel_port = server_.port};
  });
  options_.proxy = proxy.Url("");
  options_.connect_to.clear();
  Client client(options_);
  const Response response = GetAgain(client, {.url = "https://site.example/page"});
  ExpectPage(response, "page");
  EXPECT_EQ(response.address, "");
}

}  // namespace
}  // namespace opic::fetch
