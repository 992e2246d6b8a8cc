// The one clock of a simulated world, and what is to happen in it. Equal moments happen in the
// order in which they were asked for, so that a seed replays.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "absl/time/time.h"

namespace opic::scheduler {

class VirtualTime {
 public:
  absl::Time now() const { return now_; }
  void At(absl::Time time, std::function<void()> happen) {
    happenings_.emplace(std::pair(std::max(time, now_), next_++), std::move(happen));
  }
  void After(absl::Duration delay, std::function<void()> happen) {
    At(now_ + delay, std::move(happen));
  }
  // Lets everything happen up to `end`, or until `over`.
  void RunUntil(absl::Time end, const std::function<bool()>& over) {
    while (!happenings_.empty() && happenings_.begin()->first.first <= end && !over()) {
      auto first = happenings_.extract(happenings_.begin());
      now_ = first.key().first;
      first.mapped()();
    }
    if (!over()) now_ = std::max(now_, end);
  }

 private:
  absl::Time now_ = absl::FromUnixSeconds(1'000'000'000);
  uint64_t next_ = 0;
  std::map<std::pair<absl::Time, uint64_t>, std::function<void()>> happenings_;
};

}  // namespace opic::scheduler
