#include "node/phase.h"

namespace opic::node {

std::string_view Name(Phase phase) {
  switch (phase) {
    case Phase::kCrawling:
      return "crawling";
    case Phase::kSettling:
      return "settling";
    case Phase::kCorrecting:
      return "correcting";
    case Phase::kFinished:
      return "finished";
  }
  return "unknown";
}

Phase PhaseOf(const PhaseInputs& progress) {
  if (!progress.fetching_over) return Phase::kCrawling;
  const bool over = !progress.may_settle || progress.time_over || progress.pages == 0;
  return over || progress.converged ? Phase::kFinished : Phase::kSettling;
}

}  // namespace opic::node
