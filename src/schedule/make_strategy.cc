// Implements a part of schedule/strategy.h. The four strategies behind their interface.
#include "schedule/cycle.h"
#include "schedule/greedy.h"
#include "schedule/random_jump.h"
#include "schedule/strategy.h"
#include "schedule/threshold_sweep.h"

namespace opic::schedule {

std::unique_ptr<Strategy> MakeStrategy(StrategyKind kind, uint64_t seed) {
  switch (kind) {
    case StrategyKind::kGreedy:
      return std::make_unique<Greedy>();
    case StrategyKind::kCycle:
      return std::make_unique<Cycle>();
    case StrategyKind::kRandom:
      return std::make_unique<RandomJump>(seed);
    case StrategyKind::kThresholdSweep:
      break;
  }
  return std::make_unique<ThresholdSweep>();
}

}  // namespace opic::schedule
