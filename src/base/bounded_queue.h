// A queue between threads that holds at most `capacity` items.
//
// When full: Push blocks, TryPush refuses; nothing is ever dropped. Close() ends it: pushes are
// refused, pops drain what is there and then return nothing.
//
// Thread safety: synchronised inside.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "base/steady_wait.h"

namespace opic::base {

template <typename T>
class BoundedQueue {
 public:
  // REQUIRES: capacity > 0.
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

  // Waits for room. False: closed, the item was not taken.
  bool Push(T item) {
    std::unique_lock<std::mutex> lock(mu_);
    room_.wait(lock, [this] { return closed_ || items_.size() < capacity_; });
    return Add(std::move(item));
  }

  // As Push, but goes beyond the capacity instead of waiting: for who has one item here at most.
  bool PushOver(T item) {
    const std::lock_guard<std::mutex> lock(mu_);
    return Add(std::move(item));
  }

  // False: full or closed, the item was not taken (and not moved from).
  bool TryPush(T&& item) {
    const std::lock_guard<std::mutex> lock(mu_);
    return items_.size() < capacity_ && Add(std::move(item));
  }

  // Waits for an item. Nothing: closed and empty.
  std::optional<T> Pop() {
    std::unique_lock<std::mutex> lock(mu_);
    item_.wait(lock, [this] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    return Take();
  }

  // All items there now, at most `most`; waits up to `patience` for the first, by the monotonic
  // clock. May be empty.
  std::vector<T> PopSome(size_t most, absl::Duration patience) {
    std::vector<T> taken;
    std::unique_lock<std::mutex> lock(mu_);
    if (!closed_ && items_.empty() && patience > absl::ZeroDuration())
      AwaitSteadily(item_, lock, patience, [this] { return closed_ || !items_.empty(); });
    while (taken.size() < most && !items_.empty()) taken.push_back(Take());
    return taken;
  }

  void Close() {
    const std::lock_guard<std::mutex> lock(mu_);
    closed_ = true;
    room_.notify_all();
    item_.notify_all();
  }

  size_t size() const {
    const std::lock_guard<std::mutex> lock(mu_);
    return items_.size();
  }

 private:
  // Under the lock.
  bool Add(T&& item) {
    if (closed_) return false;
    items_.push_back(std::move(item));
    item_.notify_one();
    return true;
  }
  T Take() {
    T item = std::move(items_.front());
    items_.pop_front();
    room_.notify_one();
    return item;
  }

  const size_t capacity_;
  mutable std::mutex mu_;
  std::condition_variable room_, item_;
  std::deque<T> items_;  // under mu_, as closed_
  bool closed_ = false;
};

}  // namespace opic::base
