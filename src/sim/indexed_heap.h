// The page with the largest value among many whose values change one by one: a binary heap that
// knows where each page is.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"

namespace opic::sim {

// Ties: the lower page number comes first. Set and Remove take O(log n) moves.
// Thread safety: confined to the owner thread.
template <typename Value>
class IndexedHeap {
 public:
  // Room for the pages 0 to `pages` - 1; none is in the heap.
  explicit IndexedHeap(uint32_t pages) : at_(pages, kAbsent) {}

  bool empty() const { return heap_.empty(); }
  size_t size() const { return heap_.size(); }
  bool Contains(uint32_t page) const { return at_[page] != kAbsent; }
  // REQUIRES: not empty.
  uint32_t Top() const {
    OPIC_CHECK(!heap_.empty());
    return heap_.front().page;
  }
  // Puts `page` in, or changes its value.
  void Set(uint32_t page, Value value) {
    if (!Contains(page)) {
      at_[page] = static_cast<uint32_t>(heap_.size());
      heap_.push_back({value, page});
    }
    heap_[at_[page]].value = value;
    Down(Up(at_[page]));
  }
  // Takes `page` out, if it is in.
  void Remove(uint32_t page) {
    const uint32_t hole = at_[page];
    if (hole == kAbsent) return;
    at_[page] = kAbsent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (last.page == page) return;
    Put(hole, last);
    Down(Up(hole));
  }

 private:
  struct Entry {
    Value value;
    uint32_t page;
  };
  static constexpr uint32_t kAbsent = ~uint32_t{0};

  static bool Before(const Entry& a, const Entry& b) {
    return a.value != b.value ? a.value > b.value : a.page < b.page;
  }
  void Put(uint32_t at, const Entry& entry) {
    heap_[at] = entry;
    at_[entry.page] = at;
  }
  uint32_t Up(uint32_t at) {
    const Entry entry = heap_[at];
    for (; at > 0 && Before(entry, heap_[(at - 1) / 2]); at = (at - 1) / 2) {
      Put(at, heap_[(at - 1) / 2]);
    }
    Put(at, entry);
    return at;
  }
  void Down(uint32_t at) {
    const Entry entry = heap_[at];
    for (size_t child; (child = 2 * size_t{at} + 1) < heap_.size();) {
      if (child + 1 < heap_.size() && Before(heap_[child + 1], heap_[child])) ++child;
      if (!Before(heap_[child], entry)) break;
      Put(at, heap_[child]);
      at = static_cast<uint32_t>(child);
    }
    Put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<uint32_t> at_;  // where each page is in heap_
};

}  // namespace opic::sim
