#include "rpc/server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <mutex>

namespace opic::rpc {
namespace {

constexpr int kMessageBytesMax = 64 << 20;

class GrpcServer final : public Server {
 public:
  GrpcServer(std::unique_ptr<grpc::Server> server, std::string address)
      : server_(std::move(server)), address_(std::move(address)) {}
  ~GrpcServer() override { Shutdown(); }

  const std::string& address() const override { return address_; }
  std::shared_ptr<grpc::Channel> InProcessChannel() override {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMessageBytesMax);
    return server_->InProcessChannel(arguments);
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

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const std::string& listen,
                                                      const std::vector<grpc::Service*>& services) {
  static std::once_flag plugins;
  std::call_once(plugins, [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
  grpc::ServerBuilder builder;
  int port = 0;
  // Without this a second node on the same port would share it silently.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  if (!listen.empty()) builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(kMessageBytesMax);
  for (grpc::Service* service : services) builder.RegisterService(service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || (!listen.empty() && port == 0)) {
    return absl::UnavailableError("cannot listen on " + listen + "; is the address in use?");
  }
  const std::string address =
      listen.empty() ? "" : listen.substr(0, listen.rfind(':')) + ":" + std::to_string(port);
  return std::make_unique<GrpcServer>(std::move(server), address);
}

std::shared_ptr<grpc::Channel> ChannelTo(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMessageBytesMax);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace opic::rpc
