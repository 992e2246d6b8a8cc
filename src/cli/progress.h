// What a person sees of a long crawl: one line that is drawn anew on a terminal, one log line a
// minute elsewhere.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "node/running_node.h"
#include "scheduler/scheduler.h"

namespace opic::cli {

struct ProgressLimits {
  uint64_t bytes = 0;
  absl::Duration time = absl::InfiniteDuration();
};

// Requests a second.
struct Rates {
  double now = 0;   // of late
  double mean = 0;  // since somebody looks
};

// Parts of the line, the most important first. `left`: the time that is left by the present rate,
// or until a limit; infinite: not known.
std::vector<std::string> ProgressParts(const node::NodeStats& stats, const Rates& rates,
                                       absl::Duration left);

// Until so many pages are fetched by the present rate. Infinite: nothing is known, as while the
// hosts that are left wait.
absl::Duration TimeFor(uint64_t pages, const Rates& rates);

// Rates::now is the mean of the last five seconds or so. What was asked before the first look is in
// neither: a watcher may come late.
//
// Thread safety: confined to one thread.
class RateMeter {
 public:
  // `requests`: all until `now`.
  void Look(uint64_t requests, absl::Time now);
  const Rates& rates() const { return rates_; }

 private:
  std::optional<uint64_t> requests_then_;
  absl::Time then_, first_;
  uint64_t asked_ = 0;  // since the first look
  Rates rates_;
};

// Thread safety: confined to one thread.
class ProgressLine {
 public:
  // `quiet`: nothing is shown.
  ProgressLine(const ProgressLimits& limits, bool quiet);
  ~ProgressLine();  // takes the line away
  // Shows the state when it is time for it.
  void Show(const node::NodeStats& stats);

 private:
  absl::Duration Left(const node::NodeStats& stats) const;

  const ProgressLimits limits_;
  const bool quiet_, terminal_;
  const absl::Time started_;
  absl::Time shown_;
  RateMeter meter_;
};

}  // namespace opic::cli
