#include "sample/http_server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <thread>

#include "absl/strings/str_cat.h"

namespace opic::sample {
namespace {

constexpr unsigned kConnectionsMax = 20'000;
constexpr unsigned kSilenceSecondsMax = 30;
constexpr size_t kRecordedBytesMax = 2048;  // of a host or target in a Hit

int64_t NowMicroseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

absl::StatusOr<SocketAddress> ParseAddress(const std::string& address, uint16_t port) {
  SocketAddress parsed;
  std::memset(&parsed, 0, sizeof parsed);
  if (inet_pton(AF_INET, address.c_str(), &parsed.v4.sin_addr) == 1) {
    parsed.v4.sin_family = AF_INET;
    parsed.v4.sin_port = htons(port);
    return parsed;
  }
  if (inet_pton(AF_INET6, address.c_str(), &parsed.v6.sin6_addr) == 1) {
    parsed.v6.sin6_family = AF_INET6;
    parsed.v6.sin6_port = htons(port);
    return parsed;
  }
  return absl::InvalidArgumentError(absl::StrCat("not an IP address: ", address));
}

// One request from its first line to the last byte of its answer.
struct OpenRequest {
  Request request;
  bool headers_announced = false;
  Hit hit;
};

std::string HeaderOf(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

MHD_Result Send(MHD_Connection* connection, const Answer& answer) {
  // MHD_RESPMEM_MUST_COPY only reads the body, but is declared to take it writable.
  MHD_Response* response = MHD_create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  for (const auto& [name, value] : answer.headers) {
    MHD_add_response_header(response, name.c_str(), value.c_str());
  }
  const MHD_Result queued =
      MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return queued;
}

class SampleServer final : public HttpServer {
 public:
  SampleServer(Answering answer, OnHit on_hit)
      : answer_(std::move(answer)), on_hit_(std::move(on_hit)) {}
  ~SampleServer() override;
  absl::Status Listen(const std::string& address, uint16_t port);
  uint16_t port() const override { return port_; }

 private:
  // The callbacks of libmicrohttpd; `self` is the server, `*open` the OpenRequest.
  static void* OnRequestLine(void* self, const char* target, MHD_Connection* connection);
  static MHD_Result OnRequest(void* self, MHD_Connection* connection, const char* target,
                              const char* method, const char* version, const char* upload,
                              size_t* upload_bytes, void** open);
  static void OnCompleted(void* self, MHD_Connection* connection, void** open,
                          MHD_RequestTerminationCode why);

  void Run();

  const Answering answer_;
  const OnHit on_hit_;
  const int wake_ = eventfd(0, EFD_CLOEXEC);
  MHD_Daemon* daemon_ = nullptr;
  uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

SampleServer::~SampleServer() {
  if (thread_.joinable()) {
    stopping_ = true;
    eventfd_write(wake_, 1);
    thread_.join();
  }
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
  if (wake_ >= 0) close(wake_);
}

// The library's own thread would sleep on 128 events that it holds, if they are all there are: when
// so many are read, it waits for more before it looks at them. MHD_run never waits.
void SampleServer::Run() {
  pollfd ready[] = {{MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, POLLIN, 0},
                    {wake_, POLLIN, 0}};
  unsigned open = 0;
  while (!stopping_) {
    MHD_run(daemon_);
    // One that was full accepts again at its next run.
    const unsigned before = open;
    open = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
    if (open < before) MHD_run(daemon_);
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    const bool limited = MHD_get_timeout(daemon_, &milliseconds) == MHD_YES;
    poll(ready, std::size(ready),
         limited ? static_cast<int>(std::min<MHD_UNSIGNED_LONG_LONG>(milliseconds, INT_MAX)) : -1);
  }
}

void* SampleServer::OnRequestLine(void*, const char* target, MHD_Connection*) {
  auto* open = new OpenRequest;  // deleted by OnCompleted, which is called for every request
  open->request.target = target;
  open->hit.start_us = NowMicroseconds();
  return open;
}

MHD_Result SampleServer::OnRequest(void* self, MHD_Connection* connection, const char*,
                                   const char* method, const char*, const char*,
                                   size_t* upload_bytes, void** open) {
  auto& [request, headers_announced, hit] = *static_cast<OpenRequest*>(*open);
  // The first call only announces the headers: answering there would close the connection. A body
  // means nothing here: read and forgotten.
  if (!headers_announced || *upload_bytes > 0) {
    headers_announced = true;
    *upload_bytes = 0;
    return MHD_YES;
  }
  request.method = method;
  request.host = HeaderOf(connection, "Host");
  request.if_none_match = HeaderOf(connection, "If-None-Match");
  request.if_modified_since = HeaderOf(connection, "If-Modified-Since");
  const Answer answer = static_cast<SampleServer*>(self)->answer_(request);
  hit.status = answer.status;
  return Send(connection, answer);
}

void SampleServer::OnCompleted(void* self, MHD_Connection*, void** open,
                               MHD_RequestTerminationCode) {
  const std::unique_ptr<OpenRequest> owned(static_cast<OpenRequest*>(*open));
  *open = nullptr;
  if (owned == nullptr) return;
  Hit& hit = owned->hit;
  hit.host = HostOf(owned->request).substr(0, kRecordedBytesMax);
  hit.target = owned->request.target.substr(0, kRecordedBytesMax);
  hit.end_us = NowMicroseconds();
  static_cast<SampleServer*>(self)->on_hit_(std::move(hit));
}

absl::Status SampleServer::Listen(const std::string& address, uint16_t port) {
  absl::StatusOr<SocketAddress> parsed = ParseAddress(address, port);
  if (!parsed.ok()) return parsed.status();
  if (wake_ < 0) return absl::ErrnoToStatus(errno, "eventfd");
  unsigned flags = MHD_USE_EPOLL;
  if (parsed->any.sa_family == AF_INET6) flags |= MHD_USE_IPv6;
  errno = 0;
  daemon_ = MHD_start_daemon(flags, port, nullptr, nullptr, &OnRequest, this,    //
                             MHD_OPTION_SOCK_ADDR, &parsed->any,                 //
                             MHD_OPTION_URI_LOG_CALLBACK, &OnRequestLine, this,  //
                             MHD_OPTION_NOTIFY_COMPLETED, &OnCompleted, this,    //
                             MHD_OPTION_CONNECTION_LIMIT, kConnectionsMax,       //
                             MHD_OPTION_CONNECTION_TIMEOUT, kSilenceSecondsMax,  //
                             MHD_OPTION_END);
  if (daemon_ == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("cannot serve on ", address, " port ", port, ": ", std::strerror(errno)));
  }
  const MHD_DaemonInfo* bound = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT);
  port_ = bound == nullptr ? 0 : bound->port;
  if (port_ == 0) return absl::InternalError("the bound port is not known");
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const std::string& address,
                                                              uint16_t port, Answering answer,
                                                              OnHit on_hit) {
  auto server = std::make_unique<SampleServer>(std::move(answer), std::move(on_hit));
  if (absl::Status status = server->Listen(address, port); !status.ok()) return status;
  return server;
}

}  // namespace opic::sample
