// What a person sees of a long crawl: one line that is rewritten on a terminal, one log line a
// minute elsewhere.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "node/running_node.h"
#include "scheduler/scheduler.h"

namespace opic::cli {

struct ProgressLimits {
  uint64_t pages = 0, bytes = 0;
  absl::Duration time = absl::InfiniteDuration();
};

// Thread safety: confined to one thread.
class ProgressLine {
 public:
  // `quiet`: nothing is shown.
  ProgressLine(const ProgressLimits& limits, bool quiet);
  ~ProgressLine();  // ends the line
  // Shows the state when it is time for it.
  void Show(const node::NodeStats& stats,
            const std::optional<scheduler::SchedulerStatus>& scheduler);

 private:
  std::string Line(const node::NodeStats& stats,
                   const std::optional<scheduler::SchedulerStatus>& scheduler) const;
  std::string Eta(const node::NodeStats& stats, double rate) const;

  const ProgressLimits limits_;
  const bool quiet_, terminal_;
  const absl::Time started_;
  absl::Time shown_, rate_from_;
  uint64_t requests_then_ = 0;
  double rate_ = 0;
};

// What was done so far, several lines. Of a folder at rest only its pages.
std::string Summary(const node::NodeStats& stats, absl::Duration scheduler_cpu);

// "1.2 MB", "3 h 04 min": for people.
std::string HumanBytes(uint64_t bytes);
std::string HumanTime(absl::Duration duration);

}  // namespace opic::cli
