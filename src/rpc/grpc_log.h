// gRPC's own error messages, such as a failed TLS handshake, go into the log of the program, in its
// format, as warnings. Each place in gRPC's code is logged at most once in ten seconds, whatever
// strangers do.
//
// Thread safety: synchronised inside.
#pragma once

namespace opic::rpc {

// Logs them from now on. Idempotent.
void TakeGrpcLog();

// While it lives, what this thread makes gRPC say is for debugging alone: the caller tells what
// came of it.
class QuietGrpc {
 public:
  QuietGrpc();
  ~QuietGrpc();
  QuietGrpc(const QuietGrpc&) = delete;
  QuietGrpc& operator=(const QuietGrpc&) = delete;
};

}  // namespace opic::rpc
