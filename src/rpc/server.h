// A gRPC server with reflection and health, listening or in-process only.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace grpc {
class Channel;
class Service;
}  // namespace grpc

namespace opic::rpc {

class Server {
 public:
  // `listen` is "HOST:PORT", port 0 for any free one; empty: in-process only. The services must
  // outlive the server. Unavailable: the address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const std::string& listen,
                                                       const std::vector<grpc::Service*>& services);
  virtual ~Server() = default;                     // as Shutdown()
  virtual const std::string& address() const = 0;  // with the port in use; empty in-process
  virtual std::shared_ptr<grpc::Channel> InProcessChannel() = 0;
  // Refuses new calls, gives those under way two seconds, then ends them. Idempotent.
  virtual void Shutdown() = 0;
};

// A channel to another process, plain text.
std::shared_ptr<grpc::Channel> ChannelTo(const std::string& address);

}  // namespace opic::rpc
