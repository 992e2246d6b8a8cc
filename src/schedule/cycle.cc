#include "schedule/cycle.h"

#include <algorithm>

namespace opic::schedule {

void Cycle::Choose(Pool& pool, size_t want, uint64_t slots_budget, std::vector<Candidate>& chosen) {
  const size_t end = chosen.size() + std::min<uint64_t>(want, pool.eligible());
  // A turn at most, so that no page is met twice.
  uint64_t slots_left = std::min(slots_budget, pool.slots());
  while (chosen.size() < end && slots_left > 0) {
    const uint64_t piece = std::min<uint64_t>(slots_left, end - chosen.size());
    pool.Walk(piece, [&](const Candidate& candidate) {
      if (chosen.size() < end) chosen.push_back(candidate);
    });
    slots_left -= piece;
  }
}

}  // namespace opic::schedule
