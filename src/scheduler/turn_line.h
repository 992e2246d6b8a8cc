// Hosts whose turn comes one after the other: of those with refreshes each brings a turn, which
// goes to the one among them whose refreshes have been due longest. All costs O(log hosts).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <functional>
#include <queue>
#include <vector>

#include "absl/time/time.h"
#include "schedule/timed_heap.h"
#include "scheduler/host.h"

namespace opic::scheduler {

class TurnLine {
 public:
  bool empty() const { return others_.empty() && overdue_.empty(); }
  bool Contains(const Host* host) const {
    return others_.Contains(host) || overdue_.Contains(host);
  }
  bool HasRefreshes(const Host* host) const { return overdue_.Contains(host); }
  // Its turn is from `time` on, in the order of these times. One with refreshes must not be added
  // before its time.
  void Add(Host* host, absl::Time time, bool refreshes);
  // Whose turn comes first, and when. REQUIRES: not empty.
  Host* first() const { return refresh_is_first() ? overdue_.first() : others_.first(); }
  absl::Time first_time() const { return refresh_is_first() ? turns_.top() : others_.first_time(); }
  // Does nothing if it is not here.
  void Remove(Host* host);
  void Clear();
  size_t CountUntil(absl::Time now) const { return others_.CountUntil(now) + overdue_.size(); }

 private:
  bool refresh_is_first() const {
    return !overdue_.empty() && (others_.empty() || turns_.top() <= others_.first_time());
  }

  schedule::TimedHeap<Host> others_;
  schedule::TimedHeap<Host> overdue_;  // with refreshes, by DueRefreshes::first
  // When each of overdue_ came, but for those that others took.
  std::priority_queue<absl::Time, std::vector<absl::Time>, std::greater<>> turns_;
};

}  // namespace opic::scheduler
