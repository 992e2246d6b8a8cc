// Restates a crawl by itself when what cells have rounded asks for it, and at its end. On the first
// node of a cluster, or on a lone one; all nodes must answer.
//
// Pages that the same pages link to are equally important, and settling makes them so, but for what
// their cells have rounded. So rounding decides their order where nothing else does, and a lower
// bound of the error leaves it as it is (docs/decisions/2026-11-26-restated-at-the-end.md).
//
// Thread safety: confined to the thread that made it, but for MayFinish; it looks in a thread of
// its own.
#pragma once

#include <cstdint>
#include <thread>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "base/bell.h"
#include "rpc/cluster_restating.h"

namespace opic::node {
struct LoopStats;
}  // namespace opic::node

namespace opic::rpc {

struct RestatingWatchOptions {
  // All pages are restated when what rounding has put the ranking off by, in expectation at most
  // (node::LoopStats::rounding_error), is above twice this.
  double error_max = 0.01;
  // Or when it is above a tenth of that and the crawl has finished and converged, with at most so
  // many pages on all nodes. 0: never, as of a crawl that goes on for ever.
  uint64_t finished_pages_max = 0;
  absl::Duration look = absl::Seconds(10);  // between two looks at it
  // After an attempt; at the end of a crawl, after one that failed.
  absl::Duration pause = absl::Minutes(10);
};

class RestatingWatch {
 public:
  // `nodes`: this one and its peers, by number; the first is asked how large the error is.
  RestatingWatch(RestatedNodes nodes, const RestatingWatchOptions& options);
  ~RestatingWatch() { Stop(); }
  void Start();
  // Told whether the crawl has come to its end. When it has, a look is asked for at once. True: one
  // was taken since, and what it restated stands in the nodes' figures; some of it may have to be
  // settled. True before Start, and where the end of a crawl is nothing to restate for. Any thread.
  bool MayFinish(bool over);
  // Waits for an attempt that is under way. Idempotent.
  void Stop();

 private:
  void Run();
  void Look();
  bool IsAskedFor(const node::LoopStats& stats) const;
  void Restate(const node::LoopStats& stats);
  // All nodes answer, and have no more pages than are restated at the end.
  bool PagesAreFew() const;

  const RestatedNodes nodes_;
  const RestatingWatchOptions options_;
  absl::Notification stop_;
  base::Bell called_;  // the crawl has come to its end, or the watch stops
  absl::Mutex mu_;
  bool started_ ABSL_GUARDED_BY(mu_) = false;
  bool asked_ ABSL_GUARDED_BY(mu_) = false, looked_ ABSL_GUARDED_BY(mu_) = false;
  uint64_t ends_ ABSL_GUARDED_BY(mu_) = 0;  // of the crawl, so far
  // Of the error, what the last restatement has left: pages that are still unread are rounded again
  // by their very correction. This and the next two are for the watch's thread.
  double left_ = 0;
  absl::Time tried_ = absl::InfinitePast();  // by the steady clock
  bool failed_ = false;                      // then
  std::thread thread_;
};

}  // namespace opic::rpc
