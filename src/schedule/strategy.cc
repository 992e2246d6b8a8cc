#include "schedule/strategy.h"

#include "schedule/cycle.h"
#include "schedule/greedy.h"
#include "schedule/random_jump.h"
#include "schedule/threshold_sweep.h"

namespace opic::schedule {
namespace {

constexpr StrategyKind kKinds[] = {StrategyKind::kThresholdSweep, StrategyKind::kGreedy,
                                   StrategyKind::kCycle, StrategyKind::kRandom};

}  // namespace

std::string_view Name(StrategyKind kind) {
  switch (kind) {
    case StrategyKind::kThresholdSweep:
      return "sweep";
    case StrategyKind::kGreedy:
      return "greedy";
    case StrategyKind::kCycle:
      return "cycle";
    case StrategyKind::kRandom:
      return "random";
  }
  return "unknown";
}

std::optional<StrategyKind> StrategyFromName(std::string_view name) {
  for (StrategyKind kind : kKinds) {
    if (Name(kind) == name) return kind;
  }
  return std::nullopt;
}

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
