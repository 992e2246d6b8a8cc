#include "sim/indexed_heap.h"

#include <gtest/gtest.h>

#include <map>

#include "base/rng.h"

namespace opic::sim {
namespace {

// Against a look at all pages, with few values so that ties are frequent.
TEST(IndexedHeap, FindsTheLargestValueAndOfEqualOnesTheLowestPage) {
  base::Rng rng(4);
  IndexedHeap<int64_t> heap(40);
  std::map<uint32_t, int64_t> slow;
  for (int step = 0; step < 20'000; ++step) {
    const auto page = static_cast<uint32_t>(rng.Below(40));
    if (rng.Below(3) == 0) {
      heap.Remove(page);
      slow.erase(page);
    } else {
      slow[page] = static_cast<int64_t>(rng.Below(9)) - 4;
      heap.Set(page, slow[page]);
    }
    ASSERT_EQ(heap.size(), slow.size());
    ASSERT_EQ(heap.Contains(page), slow.contains(page));
    if (slow.empty()) continue;
    auto best = slow.begin();
    for (auto at = slow.begin(); at != slow.end(); ++at) {
      if (at->second > best->second) best = at;
    }
    ASSERT_EQ(heap.Top(), best->first) << "step " << step;
  }
}

}  // namespace
}  // namespace opic::sim
