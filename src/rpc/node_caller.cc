#include "rpc/node_caller.h"

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "rpc/gate.h"
#include "rpc/rpc_status.h"
#include "rpc/server.h"
#include "rpc/tls_hint.h"

namespace opic::rpc {
namespace {

// gRPC says "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.1:7070: Failed to
// connect to remote host: Connection refused". Who was asked is told before it anyway.
absl::Status WithoutGrpcsWords(const absl::Status& status) {
  constexpr absl::string_view kBegin = "failed to connect to all addresses",
                              kBeforeReason = "Failed to connect to remote host: ";
  const absl::string_view said = status.message();
  const size_t at = said.find(kBeforeReason);
  if (!absl::IsUnavailable(status) || at == said.npos || !absl::StartsWith(said, kBegin))
    return status;
  return absl::UnavailableError(said.substr(at + kBeforeReason.size()));
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
  absl::Status status = WithoutGrpcsWords(FromGrpc(ended));
  // Who asks again need not wait until the channel would try by itself, which may take seconds.
  if (absl::IsUnavailable(status))
    grpc::experimental::ChannelResetConnectionBackoff(channel_.get());
  if (absl::IsUnimplemented(status) && status.message().empty()) {
    status = absl::UnimplementedError(
        "it has no such service: it is an opic-scheduler, or of an older release");
  }
  status = WithTlsHint(status, options_.tls.has_value());
  const std::string whom = options_.name.empty() ? "the " + options_.kind : options_.name;
  return base::WithContext(status, "asking " + whom + " at " + address_);
}

std::function<void()> NodeCaller::Notice() const {
  if (!options_.waiting) return nullptr;
  return
      [this] { options_.waiting(options_.name.empty() ? address_ : options_.name, WhyItLasts()); };
}

// The kernel accepts connections for a process that is stopped, but nobody shakes hands.
std::string NodeCaller::WhyItLasts() const {
  if (channel_->GetState(/*try_to_connect=*/false) != GRPC_CHANNEL_READY)
    return "there is no connection to it yet; it hangs, or cannot be reached";
  return options_.local_only
             ? "it is connected, but has not answered yet"
             : "it is connected, but has not answered yet; a node of a cluster may itself be "
               "waiting for another";
}

}  // namespace opic::rpc
