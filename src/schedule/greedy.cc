#include "schedule/greedy.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace opic::schedule {
namespace {

constexpr uint64_t kPieces = 64;

bool Better(const Candidate& a, const Candidate& b) {
  return a.cash != b.cash ? a.cash > b.cash : a.page < b.page;
}

// The best `capacity` candidates offered so far, each page once.
class BestHeap {
 public:
  explicit BestHeap(size_t capacity) : capacity_(capacity) {}

  void Offer(const Candidate& candidate) {
    const bool full = heap_.size() == capacity_;
    if (full && !Better(candidate, heap_.front())) return;
    if (!members_.insert(candidate.page).second) return;
    if (full) DropWorst();
    heap_.push_back(candidate);
    std::push_heap(heap_.begin(), heap_.end(), Better);
  }

  std::vector<Candidate> TakeSorted() {
    std::sort_heap(heap_.begin(), heap_.end(), Better);
    return std::move(heap_);
  }

 private:
  void DropWorst() {
    std::pop_heap(heap_.begin(), heap_.end(), Better);
    members_.erase(heap_.back().page);
    heap_.pop_back();
  }

  const size_t capacity_;
  std::vector<Candidate> heap_;  // the worst is in front
  absl::flat_hash_set<PageId> members_;
};

}  // namespace

void Greedy::Choose(Pool& pool, size_t want, uint64_t /*slots_budget*/,
                    std::vector<Candidate>& chosen) {
  if (want == 0 || pool.eligible() == 0) return;
  BestHeap best(want);
  // One piece more than a turn: bundles and pages added meanwhile shift the end of the turn, and
  // meeting a page twice does no harm.
  const uint64_t piece = pool.slots() / kPieces + 1;
  for (uint64_t i = 0; i <= kPieces; ++i) {
    pool.Walk(piece, [&](const Candidate& candidate) { best.Offer(candidate); });
  }
  const std::vector<Candidate> sorted = best.TakeSorted();
  chosen.insert(chosen.end(), sorted.begin(), sorted.end());
}

}  // namespace opic::schedule
