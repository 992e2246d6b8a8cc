// Requests through a SOCKS5 proxy, and failures of a proxy: they are not the hosts'.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "tests/fetch/client.h"
#include "tests/fetch/slow_names.h"
#include "tests/support/http_server.h"
#include "tests/support/socks_proxy.h"

namespace opic::fetch {
namespace {

using ::opic::support::Answer;
using ::opic::support::HttpReply;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::opic::support::Ok;
using ::opic::support::RawThenClose;
using ::opic::support::SocksProxy;

using Fault = SocksProxy::Fault;

class ProxyTest : public ::testing::Test {
 protected:
  // Of http://site.example/, through a SOCKS5 proxy that does as it is told.
  Response Through(SocksProxy::Options proxy, const std::string& scheme = "socks5h",
                   const std::string& user = "") {
    proxy.relay_port = server_.port();
    SocksProxy socks(proxy);
    options_.proxy = socks.Url(scheme, user);
    Client client(options_);
    Response response = client.Get("http://site.example/");
    asked_ = socks.asked();
    return response;
  }
  // Through an HTTP proxy that gives this answer.
  Response Through(HttpReply reply, const std::string& url) {
    HttpServer proxy([&](const HttpRequest&) { return reply; });
    options_.proxy = proxy.Url("");
    Client client(options_);
    return client.Get(url);
  }
  void ExpectOfProxy(const Response& response) {
    EXPECT_EQ(response.error, Error::kProxy) << response.detail;
    EXPECT_FALSE(response.sent) << "the host was not asked";
    EXPECT_EQ(response.address, "");
    EXPECT_NE(response.detail, "");
  }
  void ExpectOfHost(const Response& response, Error error) {
    EXPECT_EQ(response.error, error) << response.detail;
  }

  HttpServer server_{[](const HttpRequest& request) {
    return Ok(request.target + " of " + request.Header("Host"));
  }};
  Options options_ = Local();
  std::vector<std::string> asked_;
};

TEST_F(ProxyTest, Socks5hLeavesTheNameToTheProxy) {
  SocksProxy socks({.relay_port = server_.port()});
  options_.proxy = socks.Url("socks5h");
  options_.allow_private = false;  // the proxy itself is the operator's choice
  Client client(options_);
  EXPECT_EQ(client.Get("http://site.example/robots.txt").body, "/robots.txt of site.example");
  const Response response = client.Get("http://site.example:8080/page");
  EXPECT_EQ(response.body, "/page of site.example:8080");
  EXPECT_EQ(response.address, "");
  EXPECT_EQ(socks.asked(),
            (std::vector<std::string>{"name site.example:80", "name site.example:8080"}));
}

TEST_F(ProxyTest, Socks5ResolvesTheNameHere) {
  SocksProxy socks({.relay_port = server_.port()});
  options_.proxy = socks.Url("socks5");
  Client client(options_);
  EXPECT_EQ(client.Get("http://127.0.0.1:81/").body, "/ of 127.0.0.1:81");
  EXPECT_EQ(client.Get("http://[::1]:81/").body, "/ of [::1]:81");
  EXPECT_EQ(socks.asked(), (std::vector<std::string>{"address 127.0.0.1:81", "address ::1:81"}));
  EXPECT_EQ(client.Get(absl::StrCat("http://", kUnknownName, "/")).error, Error::kResolve);
}

TEST_F(ProxyTest, SocksPasswordIsGiven) {
  EXPECT_EQ(Through({.user = "u", .password = "p"}, "socks5h", "u:p").status, 200);
}

TEST_F(ProxyTest, SocksPasswordThatIsWrongOrMissingIsTheProxys) {
  ExpectOfProxy(Through({.user = "u", .password = "p"}, "socks5h", "u:q"));
  ExpectOfProxy(Through({.user = "u", .password = "p"}));
}

TEST_F(ProxyTest, ProxyThatIsNotThereIsTheProxys) {
  std::string port;
  {
    port = absl::StrCat(HttpServer([](const HttpRequest&) { return Ok(""); }).port());
  }
  for (const char* scheme : {"http", "socks5", "socks5h"}) {
    for (const char* url : {"http://127.0.0.1/", "https://127.0.0.1/"}) {
      SCOPED_TRACE(absl::StrCat(scheme, " ", url));
      options_.proxy = absl::StrCat(scheme, "://127.0.0.1:", port);
      Client client(options_);
      ExpectOfProxy(client.Get(url));
    }
  }
}

TEST_F(ProxyTest, ProxyWhoseNameIsUnknownIsTheProxys) {
  for (const char* scheme : {"http", "socks5h"}) {
    options_.proxy = absl::StrCat(scheme, "://", kUnknownName, ":1080");
    Client client(options_);
    ExpectOfProxy(client.Get("http://127.0.0.1/"));
  }
}

TEST_F(ProxyTest, ProxyThatHangsUpAtTheGreetingIsTheProxys) {
  ExpectOfProxy(Through({.fault = Fault::kClosesAtGreeting}));
}

TEST_F(ProxyTest, SomethingElseThanASocksProxyIsTheProxys) {
  HttpServer not_socks([](const HttpRequest&) { return Ok(""); },
                       {.greeting = RawThenClose("SSH-2.0-OpenSSH_9.2\r\n")});
  options_.proxy = absl::StrCat("socks5h://127.0.0.1:", not_socks.port());
  Client client(options_);
  ExpectOfProxy(client.Get("http://site.example/"));
}

// A listener that has no room for one more connection: it hears nothing more, and says nothing.
class DeafPort {
 public:
  DeafPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(Socket(), any, size), 0);
    EXPECT_EQ(listen(sockets_[0], 0), 0);
    getsockname(sockets_[0], any, &size);
    port_ = ntohs(address.sin_port);
    for (int i = 0; i < 4; ++i) connect(Socket(), any, size);
  }
  ~DeafPort() {
    for (const int fd : sockets_) close(fd);
  }
  int port() const { return port_; }

 private:
  int Socket() {
    sockets_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    return sockets_.back();
  }
  std::vector<int> sockets_;
  int port_ = 0;
};

TEST_F(ProxyTest, ProxyThatCannotBeConnectedToInTimeIsTheProxys) {
  DeafPort deaf;
  options_.connect_timeout = absl::Milliseconds(300);
  for (const char* scheme : {"http", "socks5h"}) {
    options_.proxy = absl::StrCat(scheme, "://127.0.0.1:", deaf.port());
    Client client(options_);
    ExpectOfProxy(client.Get("https://site.example/"));
  }
}

// The proxy is there, and says of the host that it cannot be had.
TEST_F(ProxyTest, HostThatTheProxyCannotReachIsTheHosts) {
  for (const uint8_t reply : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE(absl::StrCat("reply ", reply));
    const Response response = Through({.reply = reply});
    ExpectOfHost(response, Error::kConnect);
    EXPECT_FALSE(response.sent);
    EXPECT_EQ(asked_.size(), 1u);
  }
}

TEST_F(ProxyTest, HostThatTheProxyWaitsForIsTheHosts) {
  options_.connect_timeout = absl::Milliseconds(300);
  ExpectOfHost(Through({.fault = Fault::kSilentAtRequest}), Error::kTimeout);
}

TEST_F(ProxyTest, HostThatHangsUpBehindTheProxyIsTheHosts) {
  HttpServer rude([](const HttpRequest&) { return RawThenClose(""); });
  SocksProxy socks({.relay_port = rude.port()});
  options_.proxy = socks.Url("socks5h");
  Client client(options_);
  ExpectOfHost(client.Get("http://site.example/"), Error::kNoAnswer);
}

TEST_F(ProxyTest, HttpProxyThatRefusesItsPasswordIsTheProxys) {
  const HttpReply reply = Answer("407 Proxy Authentication Required", "", "no");
  ExpectOfProxy(Through(reply, "http://site.example/"));
  ExpectOfProxy(Through(reply, "https://site.example/"));
  options_.wants = [](std::string_view) { return false; };
  ExpectOfProxy(Through(reply, "http://site.example/"));
}

// Without a proxy it is a strange answer, and the server's.
TEST_F(ProxyTest, StatusOfAProxyMeansNothingWithoutOne) {
  HttpServer server([](const HttpRequest&) { return Answer("407 Odd", "", "no"); });
  Client client(options_);
  const Response response = client.Get(server.Url("/"));
  EXPECT_EQ(response.error, Error::kNone);
  EXPECT_EQ(response.status, 407);
}

TEST_F(ProxyTest, HostThatAnHttpProxyCannotReachIsTheHosts) {
  const HttpReply reply = Answer("502 Bad Gateway", "", "");
  EXPECT_EQ(Through(reply, "http://site.example/").status, 502);
  ExpectOfHost(Through(reply, "https://site.example/"), Error::kConnect);
  ExpectOfHost(Through(Answer("403 Forbidden", "", ""), "https://site.example/"), Error::kConnect);
}

TEST_F(ProxyTest, CertificateBehindAProxyIsTheHosts) {
  HttpServer no_tls([](const HttpRequest&) { return Ok(""); },
                    {.greeting = RawThenClose("220 ready\r\n")});
  HttpServer proxy([&](const HttpRequest&) {
    return HttpReply{.bytes = "HTTP/1.1 200 OK\r\n\r\n",
                     .then = HttpReply::Then::kTunnel,
                     .tunnel_port = no_tls.port()};
  });
  options_.proxy = proxy.Url("");
  Client client(options_);
  ExpectOfHost(client.Get("https://site.example/"), Error::kTls);
}

TEST_F(ProxyTest, TlsThatAProxyDoesNotSpeakIsTheProxys) {
  HttpServer no_tls([](const HttpRequest&) { return Ok(""); },
                    {.greeting = RawThenClose("220 ready\r\n")});
  options_.proxy = absl::StrCat("https://127.0.0.1:", no_tls.port());
  Client client(options_);
  ExpectOfProxy(client.Get("http://site.example/"));
  ExpectOfProxy(client.Get("https://site.example/"));
}

TEST_F(ProxyTest, ProxyOfAKindThatIsNotKnownIsRefusedAtTheStart) {
  for (const char* proxy : {"sock5://127.0.0.1:1080", "ftp://127.0.0.1", "http://", "http://a b/",
                            "socks5h://127.0.0.1:99999"}) {
    options_.proxy = proxy;
    EXPECT_EQ(Fetcher::Start(options_, [](Response) {}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << proxy;
  }
  for (const char* proxy : {"127.0.0.1:3128", "proxy.example", "http://u:p@[::1]:3128/",
                            "https://p.example", "socks4a://p.example", "SOCKS5h://p.example:1"}) {
    options_.proxy = proxy;
    EXPECT_EQ(Fetcher::Start(options_, [](Response) {}).status(), absl::OkStatus()) << proxy;
  }
}

}  // namespace
}  // namespace opic::fetch
