// Exact Greedy (paper section 3.1): the pages with the largest cash, ties by the lowest page word.
// Each Choose reads one full turn and keeps the best in a heap of `want` entries: meant for
// comparison, and for small tables.
#pragma once

#include "schedule/strategy.h"

namespace opic::schedule {

// Thread safety: confined to the owner thread.
class Greedy final : public Strategy {
 public:
  // Appends in order of cash, largest first. `slots_budget` is ignored.
  void Choose(Pool& pool, size_t want, uint64_t slots_budget,
              std::vector<Candidate>& chosen) override;
};

}  // namespace opic::schedule
