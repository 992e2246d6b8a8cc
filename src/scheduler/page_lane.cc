#include "scheduler/page_lane.h"

#include <algorithm>

#include "base/check.h"

namespace opic::scheduler {
namespace {

// std heaps keep the largest in front: here the one that comes first.
bool After(const QueuedPage& a, const QueuedPage& b) { return Before(b, a); }

}  // namespace

void PageLane::Push(const QueuedPage& page) {
  // Grown by a quarter, not doubled: hundreds of thousands of queues wait at once.
  if (memory_.size() == memory_.capacity()) {
    memory_.reserve(memory_.size() + memory_.size() / 4 + 1);
  }
  memory_.push_back(page);
  std::push_heap(memory_.begin(), memory_.end(), After);
}

QueuedPage PageLane::Pop() {
  OPIC_CHECK(!memory_.empty()) << "no page in memory";
  std::pop_heap(memory_.begin(), memory_.end(), After);
  const QueuedPage first = memory_.back();
  memory_.pop_back();
  if (memory_.size() <= memory_.capacity() / 2) memory_.shrink_to_fit();
  return first;
}

// The last place of a heap is a leaf.
QueuedPage PageLane::PopLate() {
  OPIC_CHECK(!memory_.empty()) << "no page in memory";
  const auto found = std::find_if(memory_.rbegin(), memory_.rend(),
                                  [](const QueuedPage& page) { return page.cash > kPutOffMax; });
  if (found == memory_.rend()) return Pop();
  const bool inside = found != memory_.rbegin();
  if (inside) std::swap(*found, memory_.back());
  const QueuedPage late = memory_.back();
  memory_.pop_back();
  if (inside) std::make_heap(memory_.begin(), memory_.end(), After);
  return late;
}

std::vector<QueuedPage> PageLane::TakeLaterHalf() {
  OPIC_CHECK(!memory_.empty()) << "no page in memory";
  const auto middle = memory_.begin() + memory_.size() / 2;
  std::nth_element(memory_.begin(), middle, memory_.end(), Before);
  std::vector<QueuedPage> later(middle, memory_.end());
  memory_.erase(middle, memory_.end());
  std::make_heap(memory_.begin(), memory_.end(), After);
  return later;
}

}  // namespace opic::scheduler
