#include "rpc/node_caller.h"

#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "rpc/gate.h"
#include "rpc/rpc_status.h"
#include "rpc/server.h"
#include "rpc/tls_hint.h"

namespace opic::rpc {
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
  status = WithTlsHint(status, options_.tls.has_value());
  return base::WithContext(status, "asking the node at " + address_);
}

}  // namespace opic::rpc
