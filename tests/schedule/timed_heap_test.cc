#include "schedule/timed_heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/rng.h"

namespace opic::schedule {
namespace {

struct Item {
  int name = 0;
  uint32_t heap_slot = kNotInHeap;
};

absl::Time At(int64_t seconds) { return absl::FromUnixSeconds(seconds); }

TEST(TimedHeapTest, EqualTimesComeInTheOrderTheyWereSet) {
  TimedHeap<Item> heap;
  std::vector<Item> items(20);
  for (Item& item : items) heap.Set(&item, At(1));
  for (Item& item : items) EXPECT_EQ(heap.PopFirst(), &item);
}

TEST(TimedHeapTest, AgreesWithASortedMap) {
  TimedHeap<Item> heap;
  std::vector<Item> items(40);
  std::map<Item*, absl::Time> model;
  base::Rng rng(4);
  for (int step = 0; step < 20'000; ++step) {
    Item* item = &items[rng.Below(items.size())];
    if (rng.Below(3) == 0) {
      heap.Remove(item);
      model.erase(item);
    } else {
      const absl::Time time = At(static_cast<int64_t>(rng.Below(100)));
      heap.Set(item, time);
      model[item] = time;
    }
    ASSERT_EQ(heap.size(), model.size());
    const auto due = std::count_if(model.begin(), model.end(),
                                   [](const auto& entry) { return entry.second <= At(50); });
    ASSERT_EQ(heap.CountUntil(At(50)), static_cast<size_t>(due));
    if (model.empty()) continue;
    const auto first = std::min_element(model.begin(), model.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; });
    ASSERT_EQ(heap.first_time(), first->second);
    ASSERT_EQ(model[heap.first()], first->second);
  }
}

TEST(TimedHeapTest, ClearedItemsCanBeSetAgain) {
  TimedHeap<Item> heap, other;
  Item item;
  heap.Set(&item, At(1));
  heap.Clear();
  other.Set(&item, At(2));
  EXPECT_EQ(other.first(), &item);
}

}  // namespace
}  // namespace opic::schedule
