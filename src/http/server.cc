#include "http/server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <list>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/byte_budget.h"
#include "base/status_macros.h"
#include "http/flow.h"
#include "http/handshake.h"
#include "http/response.h"

namespace opic::http {
namespace {

// How often connections are looked at, and how long a stop may wait.
constexpr int kTurnMs = 100;
// Between the moment when a connection is cut and when libmicrohttpd has seen that.
constexpr unsigned kConnectionsBeingCut = 16;
// None that is older: RFC 8996.
const char* const kTlsVersions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

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

using Make = std::function<Answer(bool room)>;

// The wait of one connection, which libmicrohttpd does not look at meanwhile.
class WaitingConnection final : public Waiting {
 public:
  explicit WaitingConnection(MHD_Connection* connection) : connection_(connection) {}

  void Answer(Make make) override {
    const absl::MutexLock lock(&mu_);
    make_ = std::move(make);
    if (suspended_) MHD_resume_connection(connection_);
  }
  void WhenGone(std::function<void()> give_up) override { give_up_ = std::move(give_up); }

  // The rest is for the server's thread. Nothing: the connection is asleep until there is one.
  Make TakeOrSuspend() {
    const absl::MutexLock lock(&mu_);
    if (make_) return std::exchange(make_, nullptr);
    suspended_ = true;
    MHD_suspend_connection(connection_);
    return nullptr;
  }
  void GiveUp() {
    {
      const absl::MutexLock lock(&mu_);
      if (make_) return;
    }
    if (give_up_) std::exchange(give_up_, nullptr)();
  }

 private:
  MHD_Connection* const connection_;  // is there while it is suspended
  std::function<void()> give_up_;     // of the server's thread
  absl::Mutex mu_;
  Make make_ ABSL_GUARDED_BY(mu_);
  bool suspended_ ABSL_GUARDED_BY(mu_) = false;
};

struct Open {
  MHD_Connection* connection;
  absl::Time since;  // of its beginning; later, of its answer
  bool cut = false;
  Request request;
  base::HeldBytes held;                        // for the request's body
  std::shared_ptr<WaitingConnection> waiting;  // null: no answer is waited for
  std::shared_ptr<Flow> flow;                  // of its answer; null: that has an end
};

class HttpServer final : public Server {
 public:
  HttpServer(const Address& address, Handler handler, base::Clock& clock,
             const ServerOptions& options)
      : handler_(std::move(handler)),
        limits_(options.limits),
        tls_(options.tls),
        clock_(clock),
        address_(address),
        held_(options.limits.held_bytes_max) {}
  ~HttpServer() override;
  absl::Status Listen(const ServerOptions& options);
  const Address& address() const override { return address_; }

 private:
  // The callbacks of libmicrohttpd; `self` is the server.
  static void OnConnection(void* self, MHD_Connection* connection, void** context,
                           MHD_ConnectionNotificationCode what);
  static MHD_Result OnRequest(void* self, MHD_Connection* connection, const char* path,
                              const char* method, const char* version, const char* upload,
                              size_t* upload_bytes, void** context);
  // GnuTLS's, on the server's thread.
  static int OnHandshake(gnutls_session_t session, const gnutls_cert_retr_st* asked,
                         gnutls_pcert_st** chain, unsigned* length, gnutls_ocsp_data_st** stapled,
                         unsigned* stapled_length, gnutls_privkey_t* key, unsigned* flags);
  absl::Status CannotListen(const ServerOptions& options, const std::string& why) const;
  void Loop();
  Open* Began(MHD_Connection* connection);
  // Once a turn: what is too old, or has gone.
  void LookAfter();
  bool IsAnythingAsked() const;
  static void Cut(Open& open);

  // A request comes in: its header, a part of its body, its end.
  MHD_Result OnHeader(Open& open, const char* path, const char* method);
  void OnBody(Open& open, std::string_view part);
  MHD_Result OnEnd(Open& open);
  MHD_Result Send(Open& open, Answer answer);

  const Handler handler_;
  const Limits limits_;
  const std::function<Certificate()> tls_;
  base::Clock& clock_;
  Address address_;
  base::ByteBudget held_;
  MHD_Daemon* daemon_ = nullptr;
  std::list<Open> open_;  // of the server's thread; the oldest first
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

// The one whose thread this is: GnuTLS tells OnHandshake nothing of it.
thread_local const HttpServer* of_this_thread = nullptr;

HttpServer::~HttpServer() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
}

absl::Status HttpServer::Listen(const ServerOptions& options) {
  const SocketAddress socket = ToSocket(address_);
  // No thread of its own: Loop() is that.
  unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
  if (address_.ipv6()) flags |= MHD_USE_IPv6;
  std::vector<MHD_OptionItem> tls;
  if (options.tls) {
    flags |= MHD_USE_TLS;
    if (const absl::Status usable = CheckCertificate(options.tls()); !usable.ok())
      return CannotListen(options, std::string(usable.message()));
    tls.push_back(
        {MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, reinterpret_cast<void*>(&HttpServer::OnHandshake)});
    tls.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTlsVersions)});  // only read
  }
  tls.push_back({MHD_OPTION_END, 0, nullptr});
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
                             MHD_OPTION_ARRAY, tls.data(),                                  //
                             MHD_OPTION_END);
  if (daemon_ == nullptr) {
    return CannotListen(options, errno != 0 ? std::strerror(errno) : "refused");
  }
  const MHD_DaemonInfo* bound = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_BIND_PORT);
  if (bound == nullptr || bound->port == 0)
    return absl::InternalError(options.flag + ": the bound port is not known");
  address_.port = bound->port;
  thread_ = std::thread([this] { Loop(); });
  return absl::OkStatus();
}

absl::Status HttpServer::CannotListen(const ServerOptions& options, const std::string& why) const {
  return absl::UnavailableError(
      absl::StrCat(options.flag, ": cannot listen on ", address_.ToText(), ": ", why));
}

int HttpServer::OnHandshake(gnutls_session_t, const gnutls_cert_retr_st*, gnutls_pcert_st** chain,
                            unsigned* length, gnutls_ocsp_data_st** stapled,
                            unsigned* stapled_length, gnutls_privkey_t* key, unsigned* flags) {
  Shown shown;
  if (of_this_thread == nullptr || !Show(of_this_thread->tls_(), shown))
    return GNUTLS_E_NO_CERTIFICATE_FOUND;
  *chain = shown.chain;
  *length = shown.length;
  *key = shown.key;
  *stapled = nullptr;
  *stapled_length = 0;
  *flags = GNUTLS_CERT_RETR_DEINIT_ALL;
  return GNUTLS_E_SUCCESS;
}

void HttpServer::Loop() {
  of_this_thread = this;
  while (!stopping_ || IsAnythingAsked()) {
    MHD_run_wait(daemon_, kTurnMs);
    LookAfter();
  }
}

void HttpServer::OnConnection(void* self, MHD_Connection* connection, void** context,
                              MHD_ConnectionNotificationCode what) {
  auto& server = *static_cast<HttpServer*>(self);
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    *context = server.Began(connection);
  } else {
    server.open_.remove_if([&](const Open& open) { return open.connection == connection; });
  }
}

Open* HttpServer::Began(MHD_Connection* connection) {
  open_.push_back({.connection = connection, .since = clock_.Steady()});
  Open* begun = &open_.back();
  const auto whole =
      std::count_if(open_.begin(), open_.end(), [](const Open& open) { return !open.cut; });
  if (whole > static_cast<ptrdiff_t>(limits_.connections_max)) {
    Cut(*std::find_if(open_.begin(), open_.end(),
                      [](const Open& open) { return !open.cut && !open.waiting && !open.flow; }));
  }
  return begun;
}

// Poll tells of an end only: what more a client sends is not read.
bool HasGone(const Open& open) {
  const MHD_ConnectionInfo* socket =
      MHD_get_connection_info(open.connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (socket == nullptr) return true;
  pollfd look = {.fd = socket->connect_fd, .events = POLLRDHUP, .revents = 0};
  return poll(&look, 1, 0) > 0;
}

// A connection that sends a byte now and then is never silent for long. For one that waits for its
// answer the time goes on when that is there.
void HttpServer::LookAfter() {
  const absl::Time now = clock_.Steady();
  for (Open& open : open_) {
    if (open.flow) {
      open.held.Set(open.flow->bytes());
      if (stopping_ || HasGone(open)) open.flow->GiveUp();
      if (stopping_) Cut(open);
      if (open.flow->asleep()) open.since = now;
    }
    if (open.waiting) {
      if (stopping_ || HasGone(open)) open.waiting->GiveUp();
    } else if (!open.cut && now - open.since > limits_.connection_time_max) {
      Cut(open);
    }
  }
}

bool HttpServer::IsAnythingAsked() const {
  return std::any_of(open_.begin(), open_.end(),
                     [](const Open& open) { return open.waiting || open.flow; });
}

// libmicrohttpd sees its end, and closes it.
void HttpServer::Cut(Open& open) {
  const MHD_ConnectionInfo* socket =
      MHD_get_connection_info(open.connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  if (socket != nullptr) shutdown(socket->connect_fd, SHUT_RDWR);
  open.cut = true;
}

MHD_Result AddField(void* fields, MHD_ValueKind, const char* name, size_t name_bytes,
                    const char* value, size_t value_bytes) {
  static_cast<Request::Fields*>(fields)->emplace_back(
      std::string(name, name_bytes),
      value == nullptr ? std::string() : std::string(value, value_bytes));
  return MHD_YES;
}

MHD_Result HttpServer::OnRequest(void* self, MHD_Connection* connection, const char* path,
                                 const char* method, const char*, const char* upload,
                                 size_t* upload_bytes, void** context) {
  auto& server = *static_cast<HttpServer*>(self);
  auto& open = *static_cast<Open*>(
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
  if (*context == nullptr) {
    *context = &open;
    return server.OnHeader(open, path, method);
  }
  if (*upload_bytes > 0) {
    server.OnBody(open, {upload, *upload_bytes});
    *upload_bytes = 0;
    return MHD_YES;
  }
  return server.OnEnd(open);
}

MHD_Result HttpServer::OnHeader(Open& open, const char* path, const char* method) {
  open.request = {.method = method, .path = path};
  MHD_get_connection_values_n(open.connection, MHD_HEADER_KIND, &AddField, &open.request.headers);
  MHD_get_connection_values_n(open.connection, MHD_GET_ARGUMENT_KIND, &AddField,
                              &open.request.arguments);
  open.held = base::HeldBytes(held_);
  if (limits_.body_bytes_max == 0) return OnEnd(open);
  const std::string* length = open.request.Header("Content-Length");
  uint64_t bytes = 0;
  if (length == nullptr || (absl::SimpleAtoi(*length, &bytes) && bytes <= limits_.body_bytes_max))
    return MHD_YES;
  open.request.unread = Unread::kTooLong;
  return OnEnd(open);
}

void HttpServer::OnBody(Open& open, std::string_view part) {
  Request& request = open.request;
  if (request.unread != Unread::kNo) return;
  if (request.body.size() + part.size() > limits_.body_bytes_max) {
    request.unread = Unread::kTooLong;
  } else if (held_.full()) {
    request.unread = Unread::kNoRoom;
  } else {
    request.body.append(part);
  }
  if (request.unread != Unread::kNo) request.body = {};
  open.held.Set(request.body.capacity());
}

// At the end of the request, and again when the answer to it is there.
MHD_Result HttpServer::OnEnd(Open& open) {
  if (stopping_ && !open.waiting) return MHD_NO;
  if (!open.waiting) {
    open.waiting = std::make_shared<WaitingConnection>(open.connection);
    handler_(std::move(open.request), open.waiting);
    open.held.Set(0);
  }
  const Make make = open.waiting->TakeOrSuspend();
  if (!make) return MHD_YES;
  Answer answer = make(!held_.full());
  open.waiting.reset();
  open.since = clock_.Steady();
  return Send(open, std::move(answer));
}

MHD_Result HttpServer::Send(Open& open, Answer answer) {
  const std::shared_ptr<Flow> flow = answer.flow;
  const auto status = static_cast<unsigned>(answer.status);
  MHD_Response* response = ResponseOf(std::move(answer), open.connection, held_);
  if (response == nullptr) {
    if (flow) flow->GiveUp();
    return MHD_NO;
  }
  open.flow = flow;
  const MHD_Result queued = MHD_queue_response(open.connection, status, response);
  MHD_destroy_response(response);
  return queued;
}

}  // namespace

Server::Handler Server::AtOnce(std::function<Answer(const Request&)> answer) {
  return [answer = std::move(answer)](const Request& request,
                                      const std::shared_ptr<Waiting>& waiting) {
    waiting->Answer([made = answer(request)](bool) { return made; });
  };
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Address& address, Handler handler,
                                                      base::Clock& clock,
                                                      const ServerOptions& options) {
  auto server = std::make_unique<HttpServer>(address, std::move(handler), clock, options);
  if (absl::Status status = server->Listen(options); !status.ok()) return status;
  return server;
}

}  // namespace opic::http
