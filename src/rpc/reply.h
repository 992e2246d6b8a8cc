// The answer to a call that may end the process: when the store has failed under a change
// (desk::EndsProcess), the caller hears it first, and the process ends when that is on its way.
//
// Thread safety: End is called once, on any thread; the reply deletes itself.
#pragma once

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "desk/store_failure.h"
#include "rpc/rpc_status.h"

namespace opic::rpc {

class Reply final : public grpc::ServerUnaryReactor {
 public:
  void End(const absl::Status& status) {
    status_ = status;
    Finish(ToGrpc(status));
  }
  void OnDone() override {
    if (desk::EndsProcess(status_)) desk::EndOnStoreFailure("the node", status_);
    delete this;
  }

 private:
  absl::Status status_;
};

}  // namespace opic::rpc
