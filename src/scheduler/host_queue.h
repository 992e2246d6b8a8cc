// The queued pages of one host: the best ones in memory, the rest in the spill (page_queue.h).
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "cash/amount.h"

namespace opic::scheduler {

// 24 bytes: this is what a queued page costs in memory.
struct QueuedPage {
  PageId page;
  uint64_t cash = 0;          // in units when offered; kFront: was ordered before, goes first
  uint64_t arrival : 56 = 0;  // numbers the offers of a session
  uint64_t attempts : 8 = 0;  // failed so far
};
static_assert(sizeof(QueuedPage) == 24);

inline constexpr uint64_t kFront = ~uint64_t{0};

// Largest cash first, then in order of arrival.
inline bool Before(const QueuedPage& a, const QueuedPage& b) {
  return a.cash != b.cash ? a.cash > b.cash : a.arrival < b.arrival;
}

// Thread safety: confined to the owner thread.
class HostQueue {
 public:
  uint64_t size() const { return memory_.size() + spilled; }
  bool empty() const { return size() == 0; }
  size_t in_memory() const { return memory_.size(); }

  void Push(const QueuedPage& page);
  // The first one in memory. REQUIRES: in_memory() > 0.
  QueuedPage Pop();
  // Takes the later half of what is in memory out, at least one. REQUIRES: in_memory() > 0.
  std::vector<QueuedPage> TakeLaterHalf();
  void Clear() { *this = HostQueue(); }

  // Kept by PageQueue.
  uint64_t spilled = 0;       // pages in the spill
  uint64_t spill_number = 0;  // names this queue there; 0: not yet there in this session
  uint64_t spill_cash = 0;    // no page of this queue in the spill has more

 private:
  std::vector<QueuedPage> memory_;  // a heap, the first page in front
};

}  // namespace opic::scheduler
