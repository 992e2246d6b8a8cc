// Things ordered by a time, earliest first; equal times in the order they were set. Set, Remove and
// PopFirst cost O(log n); there are no stale entries.
//
// An item knows its place: T has a member `uint32_t heap_slot = kNotInHeap`. So an item can be in
// one heap at a time. The heap does not own items.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "base/check.h"

namespace opic::schedule {

inline constexpr uint32_t kNotInHeap = ~uint32_t{0};

template <typename T>
class TimedHeap {
 public:
  bool empty() const { return nodes_.empty(); }
  size_t size() const { return nodes_.size(); }
  // REQUIRES: not empty.
  T* first() const { return nodes_.front().item; }
  absl::Time first_time() const { return nodes_.front().time; }

  bool Contains(const T* item) const {
    return item->heap_slot < nodes_.size() && nodes_[item->heap_slot].item == item;
  }

  // Puts `item` in, or moves it when it is in this heap. REQUIRES: it is in no other heap.
  void Set(T* item, absl::Time time) {
    const Node node{time, next_order_++, item};
    if (item->heap_slot == kNotInHeap) {
      nodes_.push_back(node);
      Rise(nodes_.size() - 1, node);
      return;
    }
    const size_t slot = SlotOf(item);
    if (Before(node, nodes_[slot])) {
      Rise(slot, node);
    } else {
      Sink(slot, node);
    }
  }

  // Does nothing when `item` is in no heap. REQUIRES: it is in no other heap.
  void Remove(T* item) {
    if (item->heap_slot == kNotInHeap) return;
    const size_t slot = SlotOf(item);
    item->heap_slot = kNotInHeap;
    const Node last = nodes_.back();
    nodes_.pop_back();
    if (slot == nodes_.size()) return;
    if (slot > 0 && Before(last, nodes_[(slot - 1) / 2])) {
      Rise(slot, last);
    } else {
      Sink(slot, last);
    }
  }

  // REQUIRES: not empty.
  T* PopFirst() {
    T* item = first();
    Remove(item);
    return item;
  }

  void Clear() {
    for (Node& node : nodes_) node.item->heap_slot = kNotInHeap;
    nodes_.clear();
  }

  // Items with a time of `now` or before; costs O(their number).
  size_t CountUntil(absl::Time now) const {
    size_t count = 0;
    std::vector<size_t> open = {0};
    while (!open.empty()) {
      const size_t slot = open.back();
      open.pop_back();
      if (slot >= nodes_.size() || nodes_[slot].time > now) continue;
      ++count;
      open.push_back(2 * slot + 1);
      open.push_back(2 * slot + 2);
    }
    return count;
  }

 private:
  struct Node {
    absl::Time time;
    uint64_t order;
    T* item;
  };
  static bool Before(const Node& a, const Node& b) {
    return std::tie(a.time, a.order) < std::tie(b.time, b.order);
  }

  size_t SlotOf(const T* item) const {
    const size_t slot = item->heap_slot;
    OPIC_CHECK(slot < nodes_.size() && nodes_[slot].item == item) << "item is in another heap";
    return slot;
  }
  void Place(size_t slot, const Node& node) {
    nodes_[slot] = node;
    node.item->heap_slot = static_cast<uint32_t>(slot);
  }
  void Rise(size_t slot, const Node& node) {
    while (slot > 0 && Before(node, nodes_[(slot - 1) / 2])) {
      Place(slot, nodes_[(slot - 1) / 2]);
      slot = (slot - 1) / 2;
    }
    Place(slot, node);
  }
  void Sink(size_t slot, const Node& node) {
    for (size_t child = 2 * slot + 1; child < nodes_.size(); child = 2 * slot + 1) {
      if (child + 1 < nodes_.size() && Before(nodes_[child + 1], nodes_[child])) ++child;
      if (!Before(nodes_[child], node)) break;
      Place(slot, nodes_[child]);
      slot = child;
    }
    Place(slot, node);
  }

  std::vector<Node> nodes_;
  uint64_t next_order_ = 0;
};

}  // namespace opic::schedule
