#include "schedule/random_jump.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace opic::schedule {

void RandomJump::Choose(Pool& pool, size_t want, uint64_t slots_budget,
                        std::vector<Candidate>& chosen) {
  absl::flat_hash_set<PageId> taken;  // of this call: they are still eligible in the pool
  const size_t most = std::min<uint64_t>(want, pool.eligible());
  while (taken.size() < most && slots_budget > 0) {
    pool.Jump(rng_());
    bool found = false;
    while (!found && slots_budget > 0) {
      --slots_budget;
      pool.Walk(1, [&](const Candidate& candidate) {
        if (found || !taken.insert(candidate.page).second) return;
        chosen.push_back(candidate);
        found = true;
      });
    }
  }
}

}  // namespace opic::schedule
