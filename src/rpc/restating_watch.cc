#include "rpc/restating_watch.h"

#include "absl/strings/str_format.h"
#include "base/counted.h"
#include "base/log.h"
#include "node/running_node.h"

namespace opic::rpc {
namespace {

// Of the error that is allowed, what rounding may amount to: while a crawl goes on, and at its end.
// There a restatement costs less than a settled visit a page, and what it has corrected stays so.
constexpr double kShare = 2, kFinishedShare = 0.1;

}  // namespace

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
    const absl::MutexLock lock(&attempt_);
    const absl::StatusOr<node::NodeStats> stats = nodes_.front()->Stats();
    if (!stats.ok() || !IsAskedFor(*stats)) continue;
    Restate(*stats);
    wait = options_.pause;
  }
}

bool RestatingWatch::LookNow() {
  const absl::MutexLock lock(&attempt_);
  const absl::StatusOr<node::NodeStats> stats = nodes_.front()->Stats();
  return stats.ok() && IsAskedFor(*stats) && Restate(*stats);
}

// After a loss restating would be too early: first the lost pages must be found again.
bool RestatingWatch::IsAskedFor(const node::NodeStats& stats) const {
  if (stats.loop.restate_due) return false;
  const bool over = stats.loop.phase == node::Phase::kFinished &&
                    stats.loop.error_bound <= options_.error_max &&
                    stats.loop.pages <= options_.finished_pages_max;
  return stats.loop.rounding_error > (over ? kFinishedShare : kShare) * options_.error_max;
}

// At the end of a crawl that is nothing to tell of.
bool RestatingWatch::Restate(const node::NodeStats& stats) const {
  const bool grave = stats.loop.rounding_error > kShare * options_.error_max;
  const auto tell = [&](const std::string& line) {
    grave ? base::LogInfo("{}", line) : base::LogDebug("{}", line);
  };
  tell(absl::StrFormat("restating all pages: rounding may have shifted the ranking by %.2g %%",
                       100 * stats.loop.rounding_error));
  const absl::StatusOr<ClusterRestatement> done = RestateCluster(nodes_, {.stop = &stop_});
  if (!done.ok()) {
    base::LogWarning("restating failed, and is tried again later: {}", done.status().ToString());
    return false;
  }
  tell(absl::StrFormat("restated %s; %d had wrong cash, and the ranking was off by at most %.2g %%",
                       base::Counted(done->pages, "page"), done->off, 100 * done->error));
  return true;
}

}  // namespace opic::rpc
