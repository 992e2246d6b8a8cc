#include "http_status/server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <list>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace opic::http_status {
namespace {

// How often old connections are looked for, and how long a stop may wait.
constexpr int kTurnMs = 100;
// Between the moment when a connection is cut and when libmicrohttpd has seen that.
constexpr unsigned kConnectionsBeingCut = 16;

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

SocketAddress ToSocket(const Address& address) {
  SocketAddress socket;
  std::memset(&socket, 0, sizeof socket);
  if (address.ipv6()) {
    socket.v6.sin6_family = AF_INET6;
    socket.v6.sin6_port = htons(address.port);
    inet_pton(AF_INET6, address.ip.c_str(), &socket.v6.sin6_addr);
  } else {
    socket.v4.sin_family = AF_INET;
    socket.v4.sin_port = htons(address.port);
    inet_pton(AF_INET, address.ip.c_str(), &socket.v4.sin_addr);
  }
  return socket;
}

struct Open {
  MHD_Connection* connection;
  absl::Time since;
  bool cut = false;
};

class StatusServer final : public Server {
 public:
  StatusServer(const Address& address, Answering answer, base::Clock& clock, const Limits& limits)
      : answer_(std::move(answer)), limits_(limits), clock_(clock), address_(address) {}
  ~StatusServer() override;
  absl::Status Listen();
  const Address& address() const override { return address_; }

 private:
  // The callbacks of libmicrohttpd; `self` is the server.
  static void OnConnection(void* self, MHD_Connection* connection, void** context,
                           MHD_ConnectionNotificationCode what);
  static MHD_Result OnRequest(void* self, MHD_Connection* connection, const char* path,
                              const char* method, const char* version, const char* upload,
                              size_t* upload_bytes, void** context);
  void Loop();
  void Began(MHD_Connection* connection);
  void CutOldOnes();
  static void Cut(Open& open);

  const Answering answer_;
  const Limits limits_;
  base::Clock& clock_;
  Address address_;
  MHD_Daemon* daemon_ = nullptr;
  std::list<Open> open_;  // of the server's thread; the oldest first
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

StatusServer::~StatusServer() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

absl::Status StatusServer::Listen() {
  const SocketAddress socket = ToSocket(address_);
  unsigned flags = MHD_USE_EPOLL;  // and no thread of its own: Loop() is that
  if (address_.ipv6()) flags |= MHD_USE_IPv6;
  const auto silence_seconds =
      static_cast<unsigned>(1 + absl::ToInt64Seconds(limits_.connection_time_max));
  errno = 0;
  daemon_ = MHD_start_daemon(flags, address_.port, nullptr, nullptr, &OnRequest, this,      //
                             MHD_OPTION_SOCK_ADDR, &socket.any,                             //
                             MHD_OPTION_NOTIFY_CONNECTION, &OnConnection, this,             //
                             MHD_OPTION_CONNECTION_LIMIT,                                   //
                             limits_.connections_max + kConnectionsBeingCut,                //
                             MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits_.per_address_max,   //
                             MHD_OPTION_CONNECTION_TIMEOUT, silence_seconds,                //
                             MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits_.header_bytes_max,  //
                             MHD_OPTION_CONNECTION_MEMORY_INCREMENT, size_t{1024},          //
                             MHD_OPTION_END);
  if (daemon_ == nullptr) {
    return absl::UnavailableError(absl::StrCat("--http: cannot listen on ", address_.ToText(), ": ",
                                               errno == 0 ? "refused" : std::strerror(errno)));
  }
  const MHD_DaemonInfo* bound = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT);
  if (bound == nullptr || bound->port == 0)
    return absl::InternalError("--http: the bound port is not known");
  address_.port = bound->port;
  thread_ = std::thread([this] { Loop(); });
  return absl::OkStatus();
}

void StatusServer::Loop() {
  while (!stopping_) {
    MHD_run_wait(daemon_, kTurnMs);
    CutOldOnes();
  }
}

void StatusServer::OnConnection(void* self, MHD_Connection* connection, void**,
                                MHD_ConnectionNotificationCode what) {
  auto& server = *static_cast<StatusServer*>(self);
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    server.Began(connection);
  } else {
    server.open_.remove_if([&](const Open& open) { return open.connection == connection; });
  }
}

void StatusServer::Began(MHD_Connection* connection) {
  open_.push_back({connection, clock_.Steady()});
  const auto whole =
      std::count_if(open_.begin(), open_.end(), [](Open& open) { return !open.cut; });
  if (whole <= static_cast<ptrdiff_t>(limits_.connections_max)) return;
  Cut(*std::find_if(open_.begin(), open_.end(), [](Open& open) { return !open.cut; }));
}

// A connection that sends a byte now and then is never silent for long.
void StatusServer::CutOldOnes() {
  const absl::Time now = clock_.Steady();
  for (Open& open : open_) {
    if (!open.cut && now - open.since > limits_.connection_time_max) Cut(open);
  }
}

// libmicrohttpd sees its end, and closes it.
void StatusServer::Cut(Open& open) {
  const MHD_ConnectionInfo* socket =
      MHD_get_connection_info(open.connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (socket != nullptr) shutdown(socket->connect_fd, SHUT_RDWR);
  open.cut = true;
}

bool HasArgument(MHD_Connection* connection, std::string_view name) {
  const char* value = nullptr;
  size_t bytes = 0;
  return MHD_lookup_connection_value_n(connection, MHD_GET_ARGUMENT_KIND, name.data(), name.size(),
                                       &value, &bytes) == MHD_YES;
}

bool Accepts(MHD_Connection* connection, const std::string& type) {
  const char* accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");
  return accept != nullptr && absl::StrContains(absl::AsciiStrToLower(accept), type);
}

MHD_Result Send(MHD_Connection* connection, const Answer& answer) {
  // MHD_RESPMEM_MUST_COPY only reads the body, but is declared to take it writable.
  MHD_Response* response = MHD_create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", answer.content_type.c_str());
  MHD_add_response_header(response, "Cache-Control", "no-store");
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Connection", "close");
  if (!answer.allow.empty()) MHD_add_response_header(response, "Allow", answer.allow.c_str());
  const MHD_Result queued =
      MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return queued;
}

// Answers as soon as the headers are there: nobody's body is read.
MHD_Result StatusServer::OnRequest(void* self, MHD_Connection* connection, const char* path,
                                   const char* method, const char*, const char*, size_t*, void**) {
  const Request request{
      .method = method,
      .path = path,
      .json = HasArgument(connection, "json") || Accepts(connection, "application/json"),
      .open_metrics = Accepts(connection, "application/openmetrics-text")};
  return Send(connection, static_cast<StatusServer*>(self)->answer_(request));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Address& address, Answering answer,
                                                      base::Clock& clock, const Limits& limits) {
  auto server = std::make_unique<StatusServer>(address, std::move(answer), clock, limits);
  if (absl::Status status = server->Listen(); !status.ok()) return status;
  return server;
}

}  // namespace opic::http_status
