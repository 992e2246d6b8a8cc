// gRPC's own error messages, such as a failed TLS handshake, go into the log of the program, in its
// format, as warnings. Each place in gRPC's code is logged at most once in ten seconds, whatever
// strangers do.
//
// Thread safety: synchronised inside.
#pragma once

namespace opic::rpc {

// Logs them from now on. Idempotent.
void TakeGrpcLog();

}  // namespace opic::rpc
