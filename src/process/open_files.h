// How many files a process may have open, against how many it needs.
//
// Thread safety: pure but for the process's own limit.
#pragma once

#include <cstdint>

#include "absl/status/status.h"

namespace opic::process {

// A fetch takes up to three: its socket, one that is kept for a later fetch, and the resolver's.
// More connections are kept where fewer fetches are allowed than there are files for.
inline constexpr uint64_t kFilesPerFetch = 3;
// The stores' tables and logs, the RPC server, the logs.
inline constexpr uint64_t kFilesBeside = 700;
inline constexpr uint64_t kFilesPerPeer = 4;

uint64_t OpenFilesNeeded(int in_flight, uint64_t peers);

// Fetches at once that each of the process's `nodes` may have files for, beside its `peers`; 1 at
// least.
uint64_t FetchesWithinOpenFiles(uint64_t peers, uint64_t nodes = 1);

// Raises the limit to what the system allows. InvalidArgument: that is less than the process's
// `nodes` need, each with `in_flight` fetches and `peers` other nodes; the message says what to do.
absl::Status RaiseOpenFiles(int in_flight, uint64_t peers, uint64_t nodes = 1);

}  // namespace opic::process
