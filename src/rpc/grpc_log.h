// gRPC's own error messages, such as a failed TLS handshake, go into the log of the program, in its
// format, as warnings. Each place in gRPC's code is logged at most once in ten seconds, whatever
// strangers do.
//
// Thread safety: synchronised inside.
#pragma once

#include <string>
#include <utility>

namespace opic::rpc {

// Logs them from now on. Idempotent.
void TakeGrpcLog();

// While it lives, what this thread makes gRPC say is for debugging alone: the caller tells what
// came of it. One at a time in a thread.
class QuietGrpc {
 public:
  QuietGrpc();
  ~QuietGrpc();
  QuietGrpc(const QuietGrpc&) = delete;
  QuietGrpc& operator=(const QuietGrpc&) = delete;

  // The first error of the system that gRPC has named, as "Address already in use"; empty: none.
  const std::string& system_error() const { return system_error_; }
  void Heard(std::string system_error) {
    if (system_error_.empty()) system_error_ = std::move(system_error);
  }

 private:
  std::string system_error_;
};

}  // namespace opic::rpc
