#include "tests/support/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/clock.h"

namespace opic::support {
namespace {

constexpr size_t kInputBytesMax = 1 << 20;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

absl::string_view ToAbsl(std::string_view text) { return {text.data(), text.size()}; }

absl::Time Now() { return base::RealClock::Get().Now(); }

int LoopbackSocket(bool ipv6) {
  return socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

sockaddr_in Loopback4(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// Bytes of the body that the head announces.
size_t BodyBytes(const HttpRequest& request) {
  size_t bytes = 0;
  return absl::SimpleAtoi(request.Header("Content-Length"), &bytes) ? bytes : 0;
}

HttpRequest ParseHead(std::string_view head) {
  HttpRequest request;
  request.head = head;
  const std::vector<std::string> words =
      absl::StrSplit(ToAbsl(head.substr(0, head.find('\r'))), ' ');
  request.method = words[0];
  if (words.size() > 1) request.target = words[1];
  return request;
}

}  // namespace

std::string HttpRequest::Header(std::string_view name) const {
  for (absl::string_view line : absl::StrSplit(head, "\r\n")) {
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos) continue;
    if (!absl::EqualsIgnoreCase(line.substr(0, colon), ToAbsl(name))) continue;
    return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return "";
}

HttpReply Answer(std::string_view status, std::string_view header_lines, std::string_view body) {
  HttpReply reply;
  absl::StrAppend(&reply.bytes, "HTTP/1.1 ", ToAbsl(status), "\r\n", ToAbsl(header_lines));
  absl::StrAppend(&reply.bytes, "Content-Length: ", body.size(), "\r\n\r\n", ToAbsl(body));
  return reply;
}

HttpReply RawThenClose(std::string_view bytes) {
  return {.bytes = std::string(bytes), .then = HttpReply::Then::kClose};
}

struct HttpServer::Connection {
  int fd = -1;
  int number = 0;
  std::string in;
  std::string out;
  size_t sent = 0;  // of `out`
  bool replying = false;
  HttpReply reply;
  absl::Time next_send;
  int record = -1;             // index in requests_
  Connection* peer = nullptr;  // the other end of a tunnel

  bool Wants(absl::Time now) const { return sent < out.size() && next_send <= now; }
};

HttpServer::HttpServer(Handler handler, Options options)
    : handler_(std::move(handler)), options_(std::move(options)) {
  Listen();
  stop_ = eventfd(0, EFD_CLOEXEC);
  if (ok()) thread_ = std::thread([this] { Run(); });
}

HttpServer::~HttpServer() {
  const uint64_t one = 1;
  OPIC_CHECK(write(stop_, &one, sizeof(one)) == sizeof(one));
  if (thread_.joinable()) thread_.join();
  for (auto& connection : connections_) Close(*connection);
  close(stop_);
  if (listener_ >= 0) close(listener_);
}

void HttpServer::Listen() {
  listener_ = LoopbackSocket(options_.ipv6);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  sockaddr_in v4 = Loopback4(0);
  auto* address =
      options_.ipv6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
  socklen_t size = options_.ipv6 ? sizeof(v6) : sizeof(v4);
  if (bind(listener_, address, size) != 0 || listen(listener_, 4096) != 0) return;
  getsockname(listener_, address, &size);
  port_ = ntohs(options_.ipv6 ? v6.sin6_port : v4.sin_port);
}

std::string HttpServer::Url(std::string_view path) const {
  return absl::StrCat("http://", options_.ipv6 ? "[::1]" : "127.0.0.1", ":", port_, ToAbsl(path));
}

std::vector<HttpRequest> HttpServer::requests() const {
  absl::MutexLock lock(&mu_);
  return requests_;
}

bool HttpServer::AwaitRequests(size_t count, absl::Duration patience) const {
  absl::MutexLock lock(&mu_);
  auto arrived = [&] { return requests_.size() >= count; };
  return mu_.AwaitWithTimeout(absl::Condition(&arrived), patience);
}

void HttpServer::Run() {
  while (true) {
    std::vector<pollfd> polled = {{stop_, POLLIN, 0}, {listener_, POLLIN, 0}};
    const absl::Time before = Now();
    for (const auto& connection : connections_) {
      const bool reads = connection->in.size() < kInputBytesMax;
      const bool writes = connection->Wants(before);
      polled.push_back(
          {connection->fd, static_cast<short>((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), 0});
    }
    const absl::Duration patience = std::min(Patience(before), absl::Hours(1));
    poll(polled.data(), polled.size(),
         static_cast<int>(absl::ToInt64Milliseconds(absl::Ceil(patience, absl::Milliseconds(1)))));
    if (polled[0].revents) return;
    const absl::Time now = Now();
    const size_t count = polled.size() - 2;  // tunnels may add connections meanwhile
    for (size_t i = 0; i < count; ++i) {
      Connection& connection = *connections_[i];
      if (connection.fd >= 0 && polled[i + 2].revents & (POLLIN | POLLERR | POLLHUP))
        Read(connection);
      if (connection.fd >= 0 && connection.Wants(now)) Write(connection, now);
    }
    if (polled[1].revents) Accept();
    std::erase_if(connections_, [](const auto& connection) { return connection->fd < 0; });
  }
}

absl::Duration HttpServer::Patience(absl::Time now) const {
  absl::Duration patience = absl::InfiniteDuration();
  for (const auto& connection : connections_) {
    if (connection->sent < connection->out.size() && connection->next_send > now) {
      patience = std::min(patience, connection->next_send - now);
    }
  }
  return patience;
}

void HttpServer::Accept() {
  while (true) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    connections_.push_back(std::make_unique<Connection>());
    connections_.back()->fd = fd;
    connections_.back()->number = ++accepted_;
    if (options_.greeting) StartReply(*connections_.back(), *options_.greeting);
  }
}

void HttpServer::Read(Connection& connection) {
  char bytes[65536];
  const ssize_t got = recv(connection.fd, bytes, sizeof(bytes), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return Close(connection);
  if (connection.peer != nullptr) {
    connection.peer->out.append(bytes, static_cast<size_t>(got));
    return;
  }
  connection.in.append(bytes, static_cast<size_t>(got));
  TakeRequest(connection);
}

void HttpServer::TakeRequest(Connection& connection) {
  if (connection.replying) return;
  const size_t end = connection.in.find(kHeadEnd);
  if (end == std::string::npos) return;
  HttpRequest request = ParseHead({connection.in.data(), end});
  const size_t whole = end + kHeadEnd.size() + BodyBytes(request);
  if (connection.in.size() < whole) return;
  request.body = connection.in.substr(end + kHeadEnd.size(), BodyBytes(request));
  connection.in.erase(0, whole);
  request.connection = connection.number;
  request.started = Now();
  if (options_.record) {
    absl::MutexLock lock(&mu_);
    connection.record = static_cast<int>(requests_.size());
    requests_.push_back(request);
  }
  StartReply(connection, handler_(request));
}

void HttpServer::StartReply(Connection& connection, HttpReply reply) {
  const absl::Time now = Now();
  connection.replying = true;
  connection.out = reply.bytes;
  connection.sent = 0;
  connection.next_send = now + reply.delay;
  connection.reply = std::move(reply);
  if (connection.out.empty()) return FinishReply(connection);
  if (connection.Wants(now)) Write(connection, now);
}

void HttpServer::Write(Connection& connection, absl::Time now) {
  size_t size = connection.out.size() - connection.sent;
  const bool drips = connection.reply.drip_bytes > 0;
  if (drips) size = std::min(size, connection.reply.drip_bytes);
  const ssize_t put =
      send(connection.fd, connection.out.data() + connection.sent, size, MSG_NOSIGNAL);
  if (put < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (put < 0) return Close(connection);
  connection.sent += static_cast<size_t>(put);
  if (drips) connection.next_send = now + connection.reply.drip_pause;
  if (connection.sent == connection.out.size()) FinishReply(connection);
}

void HttpServer::FinishReply(Connection& connection) {
  connection.out.clear();
  connection.sent = 0;
  if (connection.peer != nullptr) return;
  if (connection.record >= 0) {
    absl::MutexLock lock(&mu_);
    requests_[static_cast<size_t>(connection.record)].ended = Now();
  }
  switch (connection.reply.then) {
    case HttpReply::Then::kKeepAlive:
      connection.replying = false;
      return TakeRequest(connection);
    case HttpReply::Then::kClose:
      return Close(connection);
    case HttpReply::Then::kReset:
      return Close(connection, /*reset=*/true);
    case HttpReply::Then::kSilence:
      return;
    case HttpReply::Then::kRepeat:
      connection.out = connection.reply.repeat;
      return;
    case HttpReply::Then::kTunnel:
      return OpenTunnel(connection);
  }
}

void HttpServer::OpenTunnel(Connection& connection) {
  const sockaddr_in address = Loopback4(connection.reply.tunnel_port);
  auto far = std::make_unique<Connection>();
  far->fd = LoopbackSocket(/*ipv6=*/false);
  connect(far->fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  far->peer = &connection;
  connection.peer = far.get();
  connections_.push_back(std::move(far));
}

void HttpServer::Close(Connection& connection, bool reset) {
  if (connection.fd < 0) return;
  const linger abort{.l_onoff = 1, .l_linger = 0};
  if (reset) setsockopt(connection.fd, SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
  close(connection.fd);
  connection.fd = -1;
  Connection* peer = std::exchange(connection.peer, nullptr);
  if (peer == nullptr) return;
  peer->peer = nullptr;
  Close(*peer);
}

}  // namespace opic::support
