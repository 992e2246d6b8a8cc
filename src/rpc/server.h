// A gRPC server with reflection and health, and channels to others.
//
// What comes in is bounded: a message, and what all of them take together (rpc/limits.h).
//
// A listening server notices within some 20 seconds that a client is gone without a word
// (keep-alive pings), and so does a channel while a call is under way.
//
// Thread safety: synchronised inside.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rpc/tls.h"

namespace grpc {
class Channel;
class Service;
}  // namespace grpc

namespace opic::rpc {

struct ServerSecurity {
  std::optional<TlsIdentity>
      tls;  // clients without a certificate of the same authority are refused
  // Without `tls` a server listens on loopback only, unless this says that the network is trusted.
  bool insecure = false;
};

// InvalidArgument: `listen` is not loopback, and `security` does not allow that.
absl::Status CheckListening(const std::string& listen, const ServerSecurity& security);

// Servers of this process do not tell their protocol (gRPC's reflection). To be called before the
// first begins.
void TurnOffReflection();

class Server {
 public:
  // `listen` is "HOST:PORT", port 0 for any free one, or "unix:PATH", a socket that only its owner
  // may open, in plain text. The services must outlive the server. Unavailable: the address cannot
  // be listened on; InvalidArgument: it is not loopback, and `security` does not allow that.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const std::string& listen,
                                                       const std::vector<grpc::Service*>& services,
                                                       const ServerSecurity& security = {});
  // One that has no address, for callers in this process: see Within.
  static absl::StatusOr<std::unique_ptr<Server>> StartWithin(
      const std::vector<grpc::Service*>& services);
  virtual ~Server() = default;                     // as Shutdown()
  virtual const std::string& address() const = 0;  // with the port in use; empty: none
  // A channel to this server that leaves the process nowhere. Answers of more than
  // `answer_bytes_max` bytes are refused (RESOURCE_EXHAUSTED). The server must outlive it.
  virtual std::shared_ptr<grpc::Channel> Within(int answer_bytes_max) = 0;
  // What grpc.health.v1.Health answers (rpc/health.h): true from the start on. After Shutdown it
  // changes nothing.
  virtual void SetServing(bool serving) = 0;
  // Refuses new calls, gives those under way two seconds, then ends them. Idempotent.
  virtual void Shutdown() = 0;
};

// A channel to another process. With `tls` the server must show a certificate for `name` (a node's
// name; empty: the host of `address`); without, plain text.
std::shared_ptr<grpc::Channel> ChannelTo(const std::string& address,
                                         const std::optional<TlsIdentity>& tls = std::nullopt,
                                         const std::string& name = "");

// Whether "HOST:PORT", or a Unix socket, can be reached from this machine only. A name other than
// localhost cannot.
bool IsLoopback(const std::string& address);

}  // namespace opic::rpc
