// One direction of a connection in a simulated world: what is sent arrives late and in order, and
// waits while the line or the receiver stands still.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "absl/time/time.h"
#include "tests/scheduler/virtual_time.h"

namespace opic::scheduler {

class LateLine {
 public:
  // Nothing arrives before `still_until` of that moment. `time` must outlive the line.
  LateLine(VirtualTime& time, std::function<absl::Time()> still_until)
      : time_(time), still_until_(std::move(still_until)) {}

  void Send(absl::Duration delay, std::function<void()> arrive) {
    last_ = std::max(last_, time_.now() + delay);
    waiting_.push_back({last_, std::move(arrive)});
    if (waiting_.size() == 1) Wait();
  }
  // What is under way is lost; how much.
  size_t Cut() {
    ++life_;
    last_ = time_.now();
    return std::exchange(waiting_, {}).size();
  }

 private:
  struct Item {
    absl::Time arrives;
    std::function<void()> arrive;
  };
  void Wait() {
    const absl::Time next = std::max(waiting_.front().arrives, still_until_());
    time_.At(next, [this, life = life_] {
      if (life == life_) Pump();
    });
  }
  void Pump() {
    if (still_until_() > time_.now()) return Wait();
    const uint64_t life = life_;
    const std::function<void()> arrive = std::move(waiting_.front().arrive);
    // It stays in line, so that what is sent meanwhile waits for it.
    arrive();
    if (life != life_) return;
    waiting_.pop_front();
    if (!waiting_.empty()) Wait();
  }

  VirtualTime& time_;
  const std::function<absl::Time()> still_until_;
  std::deque<Item> waiting_;
  absl::Time last_ = absl::InfinitePast();
  uint64_t life_ = 0;
};

}  // namespace opic::scheduler
