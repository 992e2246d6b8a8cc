#include "node/phase.h"

#include <algorithm>

namespace opic::node {

std::string_view Name(Phase phase) {
  switch (phase) {
    case Phase::kCrawling:
      return "crawling";
    case Phase::kSettling:
      return "settling";
    case Phase::kFinished:
      return "finished";
  }
  return "unknown";
}

cash::Sum Progress::settled_since() const { return std::max(fetch_clock, origin); }

Phase PhaseOf(const Progress& progress) {
  if (!progress.fetching_over) return Phase::kCrawling;
  // Behind a limit pages stay unread and pay nothing on: settling would end with all cash on them,
  // and the clock would stand still before it has grown by T. Without pages it never moves.
  if (!progress.may_settle || progress.time_over || progress.unread > 0 || progress.pages == 0) {
    return Phase::kFinished;
  }
  const bool converged = progress.clock >= progress.settled_since() + progress.window;
  return converged ? Phase::kFinished : Phase::kSettling;
}

}  // namespace opic::node
