// A web server for tests that does exactly as told, well-behaved or hostile: raw bytes out, on
// loopback, on a port of its own, in one thread.
//
//   HttpServer server([](const HttpRequest& request) {
//     if (request.target == "/slow") return HttpReply{.bytes = Ok("x").bytes, .delay = ...};
//     return Ok("hello");
//   });
//   fetch(server.Url("/slow"));
//   EXPECT_EQ(server.requests()[0].Header("User-Agent"), "opic");
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace opic::support {  // not `testing`: that would hide gtest's inside namespace opic

struct HttpRequest {
  std::string method, target;
  std::string head;    // the request line and header lines
  std::string body;    // by Content-Length
  int connection = 0;  // the number of the connection it came on, from 1
  // Read whole; last byte of the reply handed to the kernel, or InfiniteFuture before that.
  absl::Time started, ended = absl::InfiniteFuture();

  // The value of the first such header line; empty without one.
  std::string Header(std::string_view name) const;
};

struct HttpReply {
  enum class Then {
    kKeepAlive,  // await the next request
    kClose,
    kReset,    // a TCP RST
    kSilence,  // stay open, neither send nor answer any more
    kRepeat,   // send `repeat` for ever
    kTunnel,   // relay both ways to 127.0.0.1:`tunnel_port`, as a proxy does after CONNECT
  };

  std::string bytes;      // sent as they are
  absl::Duration delay;   // before the first byte
  size_t drip_bytes = 0;  // at a time, `drip_pause` apart; 0: all at once
  absl::Duration drip_pause;
  Then then = Then::kKeepAlive;
  std::string repeat;
  int tunnel_port = 0;
};

// A whole response with a Content-Length. `header_lines` end in CRLF each.
HttpReply Answer(std::string_view status, std::string_view header_lines, std::string_view body);
inline HttpReply Ok(std::string_view body) { return Answer("200 OK", "", body); }
// `bytes` as they are, then the end of the connection.
HttpReply RawThenClose(std::string_view bytes);

// Thread safety: synchronised inside. The handler runs on the server's thread.
class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpRequest&)>;
  struct Options {
    bool ipv6 = false;   // [::1] in place of 127.0.0.1
    bool record = true;  // keep requests(); off for benchmarks
    // Sent on accepting a connection, without waiting for a request.
    std::optional<HttpReply> greeting = std::nullopt;
  };

  explicit HttpServer(Handler handler) : HttpServer(std::move(handler), Options{}) {}
  HttpServer(Handler handler, Options options);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // False: no socket could be had (IPv6 on a machine without it).
  bool ok() const { return port_ != 0; }
  int port() const { return port_; }
  std::string Url(std::string_view path) const;

  std::vector<HttpRequest> requests() const;  // in order of arrival, with `record`
  int connections() const { return accepted_; }
  // False: fewer than `count` requests were read within `patience`.
  bool AwaitRequests(size_t count, absl::Duration patience = absl::Seconds(20)) const;

 private:
  struct Connection;

  void Listen();
  void Run();
  void Accept();
  void Read(Connection& connection);
  void TakeRequest(Connection& connection);
  void StartReply(Connection& connection, HttpReply reply);
  void Write(Connection& connection, absl::Time now);
  void FinishReply(Connection& connection);
  void OpenTunnel(Connection& connection);
  void Close(Connection& connection, bool reset = false);
  absl::Duration Patience(absl::Time now) const;

  const Handler handler_;
  const Options options_;
  int listener_ = -1;
  int stop_ = -1;  // an eventfd
  int port_ = 0;
  std::atomic<int> accepted_ = 0;

  std::vector<std::unique_ptr<Connection>> connections_;  // the server thread's

  mutable absl::Mutex mu_;
  std::vector<HttpRequest> requests_ ABSL_GUARDED_BY(mu_);

  std::thread thread_;  // last: it uses all the others
};

}  // namespace opic::support
