// Whether a process serves, asked from outside by the gRPC health protocol (grpc.health.v1).
//
// Every rpc::Server answers it by gRPC's own service: SERVING from its start until
// Server::SetServing(false), which is the first thing that happens when a stop is asked for.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "rpc/tls.h"

namespace opic::rpc {

struct HealthQuestion {
  std::string address;  // HOST:PORT of a node or a scheduler
  absl::Duration patience = absl::Seconds(3);
  std::optional<TlsIdentity> tls;  // the server must show a certificate for `name`,
  std::string name;                // or, when that is empty, for the host of `address`
};

enum class Health {
  kServing,
  kNotServing,  // it answers, and is about to stop
};

// Unavailable or DeadlineExceeded: no answer.
absl::StatusOr<Health> AskHealth(const HealthQuestion& question);

}  // namespace opic::rpc
