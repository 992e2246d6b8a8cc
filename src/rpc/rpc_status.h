// absl::Status and grpc::Status, which share their codes.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace opic::rpc {

inline grpc::Status ToGrpc(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

inline absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace opic::rpc
