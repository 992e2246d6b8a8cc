// Which page to visit next (paper section 3.1, docs/algorithm.md section 4): Random, Cycle, Greedy
// and the threshold sweep behind one interface; the same code serves the node, at the Page
// Scheduler's bidding, and the simulator.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/ids.h"
#include "base/rng.h"
#include "cash/amount.h"

namespace opic::schedule {

struct Candidate {
  PageId page;
  cash::Amount cash;
};

// The pages that may be chosen, as the strategy sees them: a closed walk over all pages in some
// fixed order.
class Pool {
 public:
  virtual ~Pool() = default;
  virtual uint64_t eligible() const = 0;       // pages that may be chosen now
  virtual uint64_t slots() const = 0;          // length of a whole turn of the walk
  virtual cash::Amount mean_cash() const = 0;  // over all pages, eligible or not
  // Walks `slots_max` slots on, or a few more where slots are read in bundles, calling `visit` for
  // each eligible page. True: it came to the end, and goes on at the beginning, in this call or the
  // next.
  virtual bool Walk(uint64_t slots_max, absl::FunctionRef<void(const Candidate&)> visit) = 0;
  // Puts the walk at a random place.
  virtual void Jump(uint64_t draw) = 0;
};

enum class StrategyKind : uint8_t { kThresholdSweep = 0, kGreedy = 1, kCycle = 2, kRandom = 3 };
std::optional<StrategyKind> StrategyFromName(
    std::string_view name);  // "sweep", "greedy", "cycle", "random"
std::string_view Name(StrategyKind kind);

// Thread safety: confined to the owner thread.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Appends up to `want` distinct eligible pages to `chosen`, looking at about `slots_budget` slots
  // at most (Greedy looks at all). Fewer than `want`: the budget was used up; call again. Chosen
  // pages stay eligible in the pool until the caller marks them: it does so between calls.
  virtual void Choose(Pool& pool, size_t want, uint64_t slots_budget,
                      std::vector<Candidate>& chosen) = 0;
  // The present threshold, where the strategy has one; for status displays.
  virtual cash::Amount threshold() const { return cash::Amount(); }
};

// `seed` matters to kRandom only. The four are told apart in threshold_sweep.h, greedy.h, cycle.h
// and random_jump.h.
std::unique_ptr<Strategy> MakeStrategy(StrategyKind kind, uint64_t seed);

}  // namespace opic::schedule
