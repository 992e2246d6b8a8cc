// What gRPC itself says of errors, such as a TLS handshake that has failed, goes into the log of the
// program, in its format, as warnings. The same line of gRPC's code speaks every ten seconds at
// most, whatever strangers do.
//
// Thread safety: synchronised inside.
#pragma once

namespace opic::rpc {

// From now on. Idempotent.
void TakeGrpcLog();

}  // namespace opic::rpc
