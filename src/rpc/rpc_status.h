// absl::Status and grpc::Status, which share their codes. An error's reason travels along
// (rpc/error_info.h).
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "rpc/error_info.h"

namespace opic::rpc {

inline grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()),
                      ErrorDetailsOf(status));
}

inline absl::Status FromGrpc(const grpc::Status& status) {
  return WithDetails(
      absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message()),
      status.error_details());
}

}  // namespace opic::rpc
