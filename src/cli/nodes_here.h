// Several nodes of a cluster in one process (`opic-node --nodes-here`). They share the process's
// log, signals and limits, and talk to each other as nodes elsewhere do, but without sockets.
//
// Thread safety: confined to one thread.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/crawl_flags.h"
#include "cli/crawl_run.h"

namespace opic::cli {

inline constexpr uint32_t kNodesHereMax = 64;

// One of them: what its flags would be if it had the process for itself, but for its part of the
// memory.
struct NodeHere {
  std::string name;
  std::string http;  // of StatusHttp
  process::ProcessOptions options;
};

// The node that `run` names and the `count` - 1 after it in the cluster's file. Each has the folder
// of its name in --data, ports that follow the given ones by its place, its own certificate
// ("{node}" in the paths is its name), and an equal part of --memory. InvalidArgument: there is no
// cluster, or there are not so many nodes after it, or a setting cannot be shared out.
absl::StatusOr<std::vector<NodeHere>> NodesHere(const CrawlFlags& flags, const RunOptions& run,
                                                uint32_t count);

// The address whose port is `n` greater; port 0, which is any free one, stays. A bare port and what
// is empty are addresses, too. InvalidArgument names `flag`: it has no port, or there are no more.
absl::StatusOr<std::string> NthAddress(const std::string& address, uint32_t n,
                                       const std::string& flag);

// Starts them, all at once, and runs them until a signal, or until each was stopped by an operator.
// Gives the exit code: of the first that could not start, or did not end well. `hold` as of
// Refused.
int RunNodesHere(const std::vector<NodeHere>& nodes, bool hold);

}  // namespace opic::cli
