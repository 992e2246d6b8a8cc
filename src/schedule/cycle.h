// Cycle (paper section 3.1): eligible pages in table order, round and round, whatever their cash.
#pragma once

#include "schedule/strategy.h"

namespace opic::schedule {

// Thread safety: confined to the owner thread.
class Cycle final : public Strategy {
 public:
  void Choose(Pool& pool, size_t want, uint64_t slots_budget,
              std::vector<Candidate>& chosen) override;
};

}  // namespace opic::schedule
