#include "rpc/restating_watch.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/clock.h"
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
    : nodes_(std::move(nodes)), options_(options) {}

void RestatingWatch::Start() {
  const absl::MutexLock lock(&mu_);
  started_ = true;
  thread_ = std::thread([this] { Run(); });
}

void RestatingWatch::Stop() {
  {
    const absl::MutexLock lock(&mu_);
    if (!stop_.HasBeenNotified()) stop_.Notify();
  }
  called_.Ring();
  if (thread_.joinable()) thread_.join();
}

bool RestatingWatch::MayFinish(bool over) {
  const absl::MutexLock lock(&mu_);
  if (!started_ || options_.finished_pages_max == 0) return true;
  if (over && !asked_) {
    ++ends_;
    called_.Ring();
  }
  asked_ = over;
  looked_ = looked_ && over;
  return looked_;
}

void RestatingWatch::Run() {
  while (true) {
    called_.Await(options_.look);
    if (stop_.HasBeenNotified()) return;
    uint64_t ends;
    {
      const absl::MutexLock lock(&mu_);
      ends = ends_;
    }
    Look();
    const absl::MutexLock lock(&mu_);
    // Not if the crawl has gone on meanwhile, and ended once more.
    looked_ = asked_ && ends == ends_;
  }
}

void RestatingWatch::Look() {
  const absl::StatusOr<node::NodeStats> stats = nodes_.front()->Stats();
  if (!stats.ok()) return;
  left_ = std::min(left_, stats->loop.rounding_error);
  if (IsAskedFor(stats->loop)) Restate(stats->loop);
}

// After a loss restating would be too early: first the lost pages must be found again.
bool RestatingWatch::IsAskedFor(const node::LoopStats& stats) const {
  if (stats.restate_due) return false;
  const double more = stats.rounding_error - left_;
  const bool over =
      stats.phase >= node::Phase::kCorrecting && stats.error_bound <= options_.error_max;
  const bool pauses = base::RealClock::Get().Steady() < tried_ + options_.pause;
  if (pauses && (failed_ || !over)) return false;
  if (more > kShare * options_.error_max) return true;
  return over && options_.finished_pages_max > 0 && more > kFinishedShare * options_.error_max &&
         PagesAreFew();
}

bool RestatingWatch::PagesAreFew() const {
  uint64_t pages = 0;
  for (const auto& node : nodes_) {
    const absl::StatusOr<node::NodeStats> stats = node->Stats();
    if (!stats.ok()) return false;
    pages += stats->loop.pages;
  }
  return pages <= options_.finished_pages_max;
}

// At the end of a crawl that is nothing to tell of.
void RestatingWatch::Restate(const node::LoopStats& stats) {
  const bool grave = stats.rounding_error > kShare * options_.error_max;
  const auto tell = [&](const std::string& line) {
    grave ? base::LogInfo("{}", line) : base::LogDebug("{}", line);
  };
  tell(absl::StrFormat("restating all pages: rounding may have shifted the ranking by %.2g %%",
                       100 * stats.rounding_error));
  const absl::StatusOr<ClusterRestatement> done = RestateCluster(nodes_, {.stop = &stop_});
  tried_ = base::RealClock::Get().Steady();
  failed_ = !done.ok();
  if (stop_.HasBeenNotified()) return;
  if (!done.ok()) {
    base::LogWarning("restating failed, and is tried again later: {}", done.status().ToString());
    return;
  }
  const absl::StatusOr<node::NodeStats> after = nodes_.front()->Stats();
  if (after.ok()) left_ = after->loop.rounding_error;
  tell(absl::StrFormat("restated %s; %d had wrong cash, and the ranking was off by at most %.2g %%",
                       base::Counted(done->pages, "page"), done->off, 100 * done->error));
}

}  // namespace opic::rpc
