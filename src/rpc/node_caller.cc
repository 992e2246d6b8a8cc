#include "rpc/node_caller.h"

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "rpc/gate.h"
#include "rpc/rpc_status.h"
#include "rpc/server.h"

namespace opic::rpc {
namespace {

// What gRPC's words for a failed handshake most likely mean.
std::string TlsHint(const absl::Status& status, bool with_tls) {
  if (!absl::IsUnavailable(status)) return "";
  const auto says = [&](const char* words) { return absl::StrContains(status.message(), words); };
  if (!with_tls && says("Socket closed"))
    return "it has just stopped, or it has certificates and wants one (--tls-ca, --tls-cert, "
           "--tls-key); its log says which";
  if (!with_tls) return "";
  if (says("Socket closed"))
    return "it has just stopped, or it does not take the certificate of --tls-cert, which may be "
           "of another authority or have expired; its log says which";
  if (says("certificate verify failed"))
    return "its certificate is not of the authority in --tls-ca, or has expired";
  if (says("wrong version number"))
    return "it has no certificates, as an opic-scheduler on loopback: ask it without --tls-ca, "
           "--tls-cert, --tls-key and the variables OPIC_TLS_...";
  return "";
}

}  // namespace

NodeCaller::NodeCaller(const std::string& address, const NodeClientOptions& options)
    : address_(address),
      options_(options),
      channel_(ChannelTo(address, options.tls, options.name)) {}

void NodeCaller::Prepare(grpc::ClientContext& context, absl::Duration patience) const {
  ShowToken(options_.token, context);
  ShowUser(context);
  if (patience < absl::InfiniteDuration())
    context.set_deadline(absl::ToChronoTime(absl::Now() + patience));
}

absl::Status NodeCaller::Told(const grpc::Status& ended) const {
  absl::Status status = FromGrpc(ended);
  if (absl::IsUnimplemented(status) && status.message().empty()) {
    status = absl::UnimplementedError(
        "it has no such service: it is an opic-scheduler, or of an older release");
  }
  if (const std::string hint = TlsHint(status, options_.tls.has_value()); !hint.empty()) {
    status = base::WithContext(absl::UnavailableError(hint), std::string(status.message()));
  }
  return base::WithContext(status, "asking the node at " + address_);
}

}  // namespace opic::rpc
