// Random (paper section 3.1): jump to a random place and take the next eligible page.
//
// The bias: a page is chosen in proportion to the gap before it, the slots without an eligible
// page, plus one. While most pages are eligible this is nearly uniform; where few are left, pages
// behind long gaps come earlier. Every page has a chance above zero, and Random's convergence
// (paper, Theorem 2.4) needs no more.
#pragma once

#include "base/rng.h"
#include "schedule/strategy.h"

namespace opic::schedule {

// Thread safety: confined to the owner thread.
class RandomJump final : public Strategy {
 public:
  explicit RandomJump(uint64_t seed) : rng_(seed) {}
  void Choose(Pool& pool, size_t want, uint64_t slots_budget,
              std::vector<Candidate>& chosen) override;

 private:
  base::Rng rng_;
};

}  // namespace opic::schedule
