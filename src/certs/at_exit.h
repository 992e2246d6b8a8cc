// OpenSSL goes on working while the program exits: gRPC's threads end at a time of their own, some
// of them after main(). With OpenSSL's own clean-up at exit what belongs to such a thread would be
// lost, or used when it is gone already (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT).
//
// To be included by what hands OpenSSL to gRPC.
//
// Thread safety: before main().
#pragma once

namespace opic::certs {

// True. Must be the first use of OpenSSL.
bool LeaveOpenSslAtExit();

inline const bool kOpenSslIsLeftAtExit = LeaveOpenSslAtExit();

}  // namespace opic::certs
