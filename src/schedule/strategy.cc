#include "schedule/strategy.h"

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

}  // namespace opic::schedule
