#include "rpc/server.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <sys/stat.h>

#include <atomic>
#include <mutex>

#include "base/log.h"
#include "base/status_macros.h"
#include "rpc/grpc_log.h"
#include "rpc/limits.h"
#include "rpc/service_names.h"
#include "rpc/tls_credentials.h"

namespace opic::rpc {
namespace {

// Of answers: what this process asked for.
constexpr int kAnswerBytesMax = 64 << 20;
// Of one connection, all of one client.
constexpr int kStreamsMax = 256;

class GrpcServer final : public Server {
 public:
  GrpcServer(std::unique_ptr<grpc::Server> server, std::string address,
             const std::vector<grpc::Service*>& services)
      : server_(std::move(server)), address_(std::move(address)) {
    for (const std::string& name : NamesOf(services))
      server_->GetHealthCheckService()->SetServingStatus(name, true);
  }
  ~GrpcServer() override { Shutdown(); }

  const std::string& address() const override { return address_; }
  std::shared_ptr<grpc::Channel> Within(int answer_bytes_max) override {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(answer_bytes_max);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    return server_->InProcessChannel(arguments);
  }
  // Of all names, the services' too.
  void SetServing(bool serving) override {
    server_->GetHealthCheckService()->SetServingStatus(serving);
  }
  void Shutdown() override {
    std::call_once(shut_down_, [this] {
      server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(2));
      server_->Wait();
    });
  }

 private:
  std::unique_ptr<grpc::Server> server_;
  const std::string address_;
  std::once_flag shut_down_;
};

}  // namespace

namespace {

// A silent connection is asked for a sign of life after this, and given up after this again.
constexpr int kKeepAliveMs = 10'000;

std::string_view HostOf(std::string_view address) {
  std::string_view host = address.substr(0, address.rfind(':'));
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return host;
}

constexpr std::string_view kUnix = "unix:";
bool IsUnixSocket(const std::string& address) { return address.starts_with(kUnix); }

// "::1" has none: an IPv6 address stands in brackets before it.
bool HasPort(const std::string& address) {
  if (IsUnixSocket(address)) return true;
  const size_t colon = address.rfind(':');
  if (colon == address.npos) return false;
  const std::string host = address.substr(0, colon), port = address.substr(colon + 1);
  return !port.empty() && port.find_first_not_of("0123456789") == port.npos &&
         (host.find(':') == host.npos || host.starts_with('['));
}

// The file of a socket is its owner's alone. Until that is so the process's umask keeps others from
// writing to it, which is what connecting needs (cli/program.h). It is not changed here: it is that
// of all threads, and they make folders.
std::unique_ptr<grpc::Server> BuildFor(const std::string& listen, grpc::ServerBuilder& builder) {
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server && IsUnixSocket(listen)) chmod(listen.substr(kUnix.size()).c_str(), 0600);
  return server;
}

// With the port in use.
std::string AddressOf(const std::string& listen, int port) {
  if (IsUnixSocket(listen)) return listen;
  return listen.substr(0, listen.rfind(':')) + ":" + std::to_string(port);
}

std::atomic<bool> reflects = true;

// The library turns reflection on for every server of a process that loads it, and has no switch.
void LoadReflection() {
  if (dlopen(OPIC_REFLECTION_LIBRARY, RTLD_NOW) == nullptr)
    base::LogWarning("server reflection is off: {}", dlerror());
}

void InitPlugins() {
  static std::once_flag plugins;
  std::call_once(plugins, [] {
    grpc::EnableDefaultHealthCheckService(true);
    if (reflects) LoadReflection();
  });
}

void AddServices(const std::vector<grpc::Service*>& services, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(kMessageBytesMax);
  builder.SetResourceQuota(grpc::ResourceQuota("calls").Resize(kTransportBytesMax));
  for (grpc::Service* service : services) builder.RegisterService(service);
}

void AddListeningArguments(grpc::ServerBuilder& builder) {
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreamsMax);
  // Without this a second node on the same port would share it silently.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepAliveMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepAliveMs);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Our own clients ask as often as that; gRPC's default takes it for abuse.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kKeepAliveMs / 2);
}

}  // namespace

void TurnOffReflection() { reflects = false; }

bool IsLoopback(const std::string& address) {
  if (IsUnixSocket(address)) return true;
  const std::string host(HostOf(address));
  in_addr v4;
  in6_addr v6;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == 127;
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return host == "localhost";
}

absl::Status CheckListening(const std::string& listen, const ServerSecurity& security) {
  if (!listen.empty() && !HasPort(listen))
    return absl::InvalidArgumentError("listening on \"" + listen +
                                      "\": give HOST:PORT, for example 127.0.0.1:7070");
  if (listen.empty() || security.tls || security.insecure || IsLoopback(listen))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      "listening on " + listen +
      " without certificates lets in everybody who can reach it: give TLS files (--tls-ca, "
      "--tls-cert, --tls-key), listen on 127.0.0.1, or say --insecure-listen where the network is "
      "trusted");
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const std::string& listen,
                                                      const std::vector<grpc::Service*>& services,
                                                      const ServerSecurity& security) {
  RETURN_IF_ERROR(CheckListening(listen, security));
  TakeGrpcLog();
  InitPlugins();
  grpc::ServerBuilder builder;
  int port = 0;
  AddListeningArguments(builder);
  const bool plain = IsUnixSocket(listen);
  builder.AddListeningPort(
      listen, plain ? grpc::InsecureServerCredentials() : ServerCredentialsOf(security.tls), &port);
  AddServices(services, builder);
  const QuietGrpc quiet;  // several lines for an address in use
  std::unique_ptr<grpc::Server> server = BuildFor(listen, builder);
  if (!server || port == 0) {
    if (!quiet.system_error().empty())
      return absl::UnavailableError("cannot listen on " + listen + ": " + quiet.system_error());
    return absl::UnavailableError("cannot listen on " + listen + "; is the address in use" +
                                  (security.tls ? ", or a certificate not valid?" : "?"));
  }
  return std::make_unique<GrpcServer>(std::move(server), AddressOf(listen, port), services);
}

absl::StatusOr<std::unique_ptr<Server>> Server::StartWithin(
    const std::vector<grpc::Service*>& services) {
  InitPlugins();
  grpc::ServerBuilder builder;
  AddServices(services, builder);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) return absl::InternalError("a server within this process does not start");
  return std::make_unique<GrpcServer>(std::move(server), "", services);
}

std::shared_ptr<grpc::Channel> ChannelTo(const std::string& address,
                                         const std::optional<TlsIdentity>& tls,
                                         const std::string& name) {
  TakeGrpcLog();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kAnswerBytesMax);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);  // patience with one connect
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepAliveMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepAliveMs);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  if (IsUnixSocket(address)) {
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  }
  if (tls && !name.empty()) arguments.SetSslTargetNameOverride(name);
  return grpc::CreateCustomChannel(address, ClientCredentialsOf(tls), arguments);
}

}  // namespace opic::rpc
