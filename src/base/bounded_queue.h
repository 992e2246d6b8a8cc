// A queue between threads that holds at most `capacity` items.
//
// When full: Push blocks, TryPush refuses; nothing is ever dropped. Close() ends it: pushes are
// refused, pops drain what is there and then return nothing.
//
// Thread safety: synchronised inside.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace opic::base {

template <typename T>
class BoundedQueue {
 public:
  // REQUIRES: capacity > 0.
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // Waits for room. False: closed, the item was not taken.
  bool Push(T item) {
    absl::MutexLock lock(&mu_, absl::Condition(this, &BoundedQueue::HasRoom));
    if (closed_) return false;
    items_.push_back(std::move(item));
    return true;
  }

  // False: full or closed, the item was not taken (and not moved from).
  bool TryPush(T&& item) {
    absl::MutexLock lock(&mu_);
    if (closed_ || items_.size() >= capacity_) return false;
    items_.push_back(std::move(item));
    return true;
  }

  // Waits for an item. Nothing: closed and empty.
  std::optional<T> Pop() {
    absl::MutexLock lock(&mu_, absl::Condition(this, &BoundedQueue::HasItem));
    return Take();
  }

  // All items there now, at most `most`; waits up to `patience` for the first. May be empty.
  std::vector<T> PopSome(size_t most, absl::Duration patience) {
    std::vector<T> taken;
    absl::MutexLock lock(&mu_);
    mu_.AwaitWithTimeout(absl::Condition(this, &BoundedQueue::HasItem), patience);
    while (taken.size() < most && !items_.empty()) taken.push_back(*Take());
    return taken;
  }

  void Close() {
    absl::MutexLock lock(&mu_);
    closed_ = true;
  }

  size_t size() const {
    absl::MutexLock lock(&mu_);
    return items_.size();
  }

 private:
  bool HasRoom() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return closed_ || items_.size() < capacity_;
  }
  bool HasItem() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) { return closed_ || !items_.empty(); }
  std::optional<T> Take() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

  const size_t capacity_;
  mutable absl::Mutex mu_;
  std::deque<T> items_ ABSL_GUARDED_BY(mu_);
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace opic::base
