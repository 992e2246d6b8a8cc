// opic crawl --cluster: tells all nodes of a cluster what to crawl, and watches them.
//
// The nodes do the work; this process only asks. When it ends, they go on.
//
// Thread safety: confined to the program's main thread.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "cli/cluster_nodes.h"
#include "cli/crawl_flags.h"
#include "cli/crawl_run.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct ClusterCrawlFlags : CallFlags {
  bool detach = false;

  void AddTo(CLI::App& app);
};

// InvalidArgument names a flag on the command line that is a setting of the nodes.
absl::Status RefuseNodeSettings(const CLI::App& app);

// What CrawlWithCluster would refuse before it speaks with a node.
absl::Status CheckClusterCrawl(const CrawlFlags& crawl, const RunOptions& run,
                               const ClusterCrawlFlags& flags);

// To the end of the crawl, or until a signal. Without seeds and scope nothing new is begun. Gives
// the exit code; kUnreachable when a node does not answer within --patience at first, which is
// named.
int CrawlWithCluster(const CrawlFlags& crawl, const RunOptions& run,
                     const ClusterCrawlFlags& flags);

}  // namespace opic::cli
