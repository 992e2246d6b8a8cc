// A queue of events for one consumer thread, which takes all that are there at once, in order of
// arrival. Unbounded: the user of a queue says what bounds the events that are pushed.
//
// Thread safety: synchronised inside.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "absl/time/time.h"
#include "base/steady_wait.h"

namespace opic::base {

template <typename T>
class EventQueue {
 public:
  explicit EventQueue(bool open = true) : open_(open) {}

  void Open() { SetOpen(true); }
  void Close() { SetOpen(false); }
  // False: closed, the event was not taken.
  bool Push(T event) {
    return Push(std::move(event), [] { return true; });
  }
  // Of an event that can wait for the next one unless `urgent()`, which sees what the consumer did
  // before it began to wait: a thread that sleeps is not woken for it.
  template <typename Urgent>
  bool Push(T event, Urgent urgent) {
    const std::lock_guard<std::mutex> lock(mu_);
    if (!open_) return false;
    events_.push_back(std::move(event));
    if (urgent()) some_.notify_one();
    return true;
  }
  // Everything there is; waits up to `patience` for the first, by the monotonic clock.
  std::deque<T> PopAll(absl::Duration patience) {
    std::unique_lock<std::mutex> lock(mu_);
    AwaitSteadily(some_, lock, patience, [this] { return !events_.empty(); });
    return std::exchange(events_, {});
  }

 private:
  void SetOpen(bool open) {
    const std::lock_guard<std::mutex> lock(mu_);
    open_ = open;
  }

  std::mutex mu_;
  std::condition_variable some_;
  std::deque<T> events_;  // under mu_, as open_
  bool open_;
};

}  // namespace opic::base
