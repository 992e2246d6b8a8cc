// Restates a crawl by itself when what cells have rounded asks for it. On the first node of a
// cluster, or on a lone one; all nodes must answer.
//
// Thread safety: confined to the thread that made it; the work is done in a thread of its own.
#pragma once

#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "rpc/cluster_restating.h"

namespace opic::rpc {

struct RestatingWatchOptions {
  // All pages are restated when what rounding has put the ranking off by, in expectation at most
  // (node::LoopStats::rounding_error), is above twice this.
  double error_max = 0.01;
  absl::Duration look = absl::Minutes(1);    // between two looks at it
  absl::Duration pause = absl::Minutes(10);  // after an attempt, whatever came of it
};

class RestatingWatch {
 public:
  // `nodes`: this one and its peers, by number; the first is asked how large the error is.
  RestatingWatch(RestatedNodes nodes, const RestatingWatchOptions& options);
  ~RestatingWatch() { Stop(); }
  // Waits for an attempt that is under way. Idempotent.
  void Stop();

 private:
  void Run();
  bool IsAskedFor() const;
  void Restate() const;

  const RestatedNodes nodes_;
  const RestatingWatchOptions options_;
  absl::Notification stop_;
  std::thread thread_;
};

}  // namespace opic::rpc
