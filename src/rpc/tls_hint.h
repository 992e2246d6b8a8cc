// What gRPC's words for a failed handshake most likely mean, for people.
//
// Thread safety: pure.
#pragma once

#include "absl/status/status.h"

namespace opic::rpc {

// How a call ended, with the hint; as it is where there is nothing to guess. `with_tls`: the caller
// has certificates.
absl::Status WithTlsHint(const absl::Status& status, bool with_tls);

}  // namespace opic::rpc
