#include "rpc/restating_watch.h"

#include "base/counted.h"
#include "base/log.h"
#include "node/running_node.h"

namespace opic::rpc {

RestatingWatch::RestatingWatch(RestatedNodes nodes, const RestatingWatchOptions& options)
    : nodes_(std::move(nodes)), options_(options), thread_([this] { Run(); }) {}

void RestatingWatch::Stop() {
  if (!stop_.HasBeenNotified()) stop_.Notify();
  if (thread_.joinable()) thread_.join();
}

void RestatingWatch::Run() {
  absl::Duration wait = options_.look;
  while (!stop_.WaitForNotificationWithTimeout(wait)) {
    wait = options_.look;
    if (!IsAskedFor()) continue;
    Restate();
    wait = options_.pause;
  }
}

// After a loss restating would be too early: first the lost pages must be found again.
bool RestatingWatch::IsAskedFor() const {
  const absl::StatusOr<node::NodeStats> stats = nodes_.front()->Stats();
  return stats.ok() && !stats->loop.restate_due &&
         stats->loop.rounding_error > 2 * options_.error_max;
}

void RestatingWatch::Restate() const {
  base::LogInfo("restating all pages: rounding may have shifted the ranking by more than {:.2g} %",
                200 * options_.error_max);
  const absl::StatusOr<ClusterRestatement> done = RestateCluster(nodes_, {.stop = &stop_});
  if (done.ok()) {
    base::LogInfo("restated {}; {} had wrong cash, and the ranking was off by at most {:.2g} %",
                  base::Counted(done->pages, "page"), done->off, 100 * done->error);
  } else {
    base::LogWarning("restating failed, and is tried again later: {}", done.status().ToString());
  }
}

}  // namespace opic::rpc
