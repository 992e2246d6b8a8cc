// Queued pages of one host and of one kind, in their order: the first ones in memory, the rest in
// the spill (page_queue.h).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.h"

namespace opic::scheduler {

// 24 bytes: this is what a queued page costs in memory.
struct QueuedPage {
  PageId page;
  uint64_t cash = 0;  // in units when offered, above kPutOffMax; of a refresh its place among these
                      // (refresh_order.h); kFront: was ordered before, goes first; up to
                      // kPutOffMax: put off, those less often failed first
  uint64_t arrival : 40 = 0;  // numbers the offers of a session
  uint64_t attempts : 7 = 0;  // failed so far
  uint64_t favoured : 1 = 0;  // schedule::Offer::favoured
  uint64_t refresh : 1 = 0;   // it was read before (schedule::Offer::due)
  uint64_t period : 7 = 0;    // of a refresh, as RefreshOrder has it
  uint64_t stretch : 8 = 0;   // likewise
};
static_assert(sizeof(QueuedPage) == 24);

inline constexpr uint64_t kFront = ~uint64_t{0};
inline constexpr uint64_t kPutOffMax = 255;

// Largest cash first, then in order of arrival.
inline bool Before(const QueuedPage& a, const QueuedPage& b) {
  return a.cash != b.cash ? a.cash > b.cash : a.arrival < b.arrival;
}

class PageLane {
 public:
  uint64_t size() const { return memory_.size() + spilled; }
  bool empty() const { return size() == 0; }
  size_t in_memory() const { return memory_.size(); }
  // No page has more. REQUIRES: not empty.
  uint64_t first_cash() const { return memory_.empty() ? spill_cash : memory_.front().cash; }

  void Push(const QueuedPage& page);
  // The first one in memory. REQUIRES: in_memory() > 0.
  QueuedPage Pop();
  // One of the later half of those in memory that are not put off, if there is any; in constant
  // time while none is. REQUIRES: in_memory() > 0.
  QueuedPage PopLate();
  // Takes the later half of what is in memory out, at least one. REQUIRES: in_memory() > 0.
  std::vector<QueuedPage> TakeLaterHalf();

  // Kept by PageQueue.
  uint64_t spilled = 0;       // pages in the spill
  uint64_t spill_number = 0;  // names this lane there; 0: not yet there in this session
  uint64_t spill_cash = 0;    // no page of this lane in the spill has more

 private:
  std::vector<QueuedPage> memory_;  // a heap, the first page in front
};

}  // namespace opic::scheduler
