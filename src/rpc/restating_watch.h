// Restates a crawl by itself when what cells have rounded asks for it, and at its end. On the first
// node of a cluster, or on a lone one; all nodes must answer.
//
// Pages that the same pages link to are equally important, and settling makes them so, but for what
// their cells have rounded. So rounding decides their order where nothing else does, and a lower
// bound of the error leaves it as it is (docs/decisions/2026-11-26-restated-at-the-end.md).
//
// Thread safety: confined to the thread that made it; it looks in a thread of its own, too.
#pragma once

#include <cstdint>
#include <thread>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "rpc/cluster_restating.h"

namespace opic::rpc {

struct RestatingWatchOptions {
  // All pages are restated when what rounding has put the ranking off by, in expectation at most
  // (node::LoopStats::rounding_error), is above twice this.
  double error_max = 0.01;
  // Or when it is above a tenth of that and the crawl has finished and converged, with at most so
  // many pages on the first node. 0: never, as of a crawl that goes on for ever.
  uint64_t finished_pages_max = 0;
  absl::Duration look = absl::Seconds(10);   // between two looks at it
  absl::Duration pause = absl::Minutes(10);  // after an attempt, whatever came of it
};

class RestatingWatch {
 public:
  // `nodes`: this one and its peers, by number; the first is asked how large the error is.
  RestatingWatch(RestatedNodes nodes, const RestatingWatchOptions& options);
  ~RestatingWatch() { Stop(); }
  // Restates here and now if it is asked for; waits for an attempt that is under way. True: all
  // pages were restated, and what is off is to be settled.
  bool LookNow();
  // Waits for an attempt that is under way. Idempotent.
  void Stop();

 private:
  void Run();
  bool IsAskedFor(const node::NodeStats& stats) const;
  bool Restate(const node::NodeStats& stats) const;

  const RestatedNodes nodes_;
  const RestatingWatchOptions options_;
  absl::Notification stop_;
  absl::Mutex attempt_;  // held by who restates
  std::thread thread_;
};

}  // namespace opic::rpc
