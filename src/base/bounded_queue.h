// A queue between threads that holds at most `capacity` items.
//
// When full: Push blocks, TryPush refuses; nothing is ever dropped. Close() ends it: pushes are
// refused, pops drain what is there and then return nothing.
//
// An item *presses*: whoever waits for items is woken for it. One that was pushed patiently does
// not wake a PopSome that waits for more of them, so that many cost one wake-up.
//
// Thread safety: synchronised inside.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "base/steady_wait.h"

namespace opic::base {

template <typename T>
class BoundedQueue {
 public:
  // REQUIRES: capacity > 0.
  explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}
  // Waits for pushes that are under way still when the item they brought has been taken.
  ~BoundedQueue() {
    while (waking_.load(std::memory_order_acquire) > 0) std::this_thread::yield();
  }

  // Waits for room. False: closed, the item was not taken.
  bool Push(T item) { return PushWhenRoom(std::move(item), /*presses=*/true); }

  // As Push, of an item that may wait for more of its kind.
  bool PushPatiently(T item) { return PushWhenRoom(std::move(item), /*presses=*/false); }

  // As Push, but goes beyond the capacity instead of waiting: for who has one item here at most.
  bool PushOver(T item) {
    std::unique_lock<std::mutex> lock(mu_);
    return Add(lock, std::move(item), /*presses=*/true);
  }

  // False: full or closed, the item was not taken (and not moved from).
  bool TryPush(T&& item) { return PushIfRoom(std::move(item), /*presses=*/true); }
  bool TryPushPatiently(T&& item) { return PushIfRoom(std::move(item), /*presses=*/false); }

  // Waits for an item. Nothing: closed and empty.
  std::optional<T> Pop() {
    std::unique_lock<std::mutex> lock(mu_);
    item_.wait(lock, [this] { return closed_ || !items_.empty(); });
    if (items_.empty()) return std::nullopt;
    return Take();
  }

  // Waits for an item; then all there are, in their order, at most `most`. Empty: closed and empty.
  std::vector<T> PopAll(size_t most) {
    std::unique_lock<std::mutex> lock(mu_);
    item_.wait(lock, [this] { return closed_ || !items_.empty(); });
    return TakeSome(most);
  }

  // All items there now, in their order, at most `most`; waits up to `patience`, by the monotonic
  // clock, for one that presses or for `enough` of any. May be empty. REQUIRES: enough > 0; above
  // 1, no other thread takes items.
  std::vector<T> PopSome(size_t most, absl::Duration patience, size_t enough = 1) {
    std::unique_lock<std::mutex> lock(mu_);
    awaited_ = std::min(enough, capacity_);
    if (!due() && patience > absl::ZeroDuration())
      AwaitSteadily(item_, lock, patience, [this] { return due(); });
    awaited_ = 1;
    return TakeSome(most);
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
  bool PushWhenRoom(T&& item, bool presses) {
    std::unique_lock<std::mutex> lock(mu_);
    room_.wait(lock, [this] { return closed_ || items_.size() < capacity_; });
    return Add(lock, std::move(item), presses);
  }
  bool PushIfRoom(T&& item, bool presses) {
    std::unique_lock<std::mutex> lock(mu_);
    return items_.size() < capacity_ && Add(lock, std::move(item), presses);
  }
  // Whoever is woken takes the lock at once: it is let go before.
  bool Add(std::unique_lock<std::mutex>& lock, T&& item, bool presses) {
    if (closed_) return false;
    items_.push_back(std::move(item));
    pressed_ |= presses;
    if (!due()) return true;
    waking_.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    item_.notify_one();
    waking_.fetch_sub(1, std::memory_order_release);
    return true;
  }

  // Under the lock, from here.
  bool due() const { return closed_ || pressed_ || items_.size() >= awaited_; }
  T Take() {
    T item = std::move(items_.front());
    items_.pop_front();
    if (items_.empty()) pressed_ = false;
    room_.notify_one();
    return item;
  }
  std::vector<T> TakeSome(size_t most) {
    std::vector<T> taken;
    taken.reserve(std::min(most, items_.size()));
    while (taken.size() < most && !items_.empty()) taken.push_back(Take());
    return taken;
  }

  const size_t capacity_;
  mutable std::mutex mu_;
  std::condition_variable room_, item_;
  std::atomic<int> waking_ = 0;  // pushes that have let go of the lock and use the queue still
  std::deque<T> items_;          // under mu_, as all that follows
  size_t awaited_ = 1;           // so many of any kind are enough for who waits
  bool pressed_ = false;         // an item that presses came since there was none
  bool closed_ = false;
};

}  // namespace opic::base
