// The queued pages of one host: the best ones in memory, the rest in the spill (page_queue.h), and
// those that have failed and wait for their time: *delayed*, in memory too, or where there is no
// room for more, *put off* behind all others, with one time for all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "base/ids.h"
#include "cash/amount.h"

namespace opic::scheduler {

// 24 bytes: this is what a queued page costs in memory.
struct QueuedPage {
  PageId page;
  uint64_t cash = 0;  // in units when offered, above kPutOffMax; kFront: was ordered before,
                      // goes first; up to kPutOffMax: put off, those less often failed first
  uint64_t arrival : 56 = 0;  // numbers the offers of a session
  uint64_t attempts : 7 = 0;  // failed so far
  uint64_t favoured : 1 = 0;  // schedule::Offer::favoured
};
static_assert(sizeof(QueuedPage) == 24);

inline constexpr uint64_t kFront = ~uint64_t{0};
inline constexpr uint64_t kPutOffMax = 255;

// Largest cash first, then in order of arrival.
inline bool Before(const QueuedPage& a, const QueuedPage& b) {
  return a.cash != b.cash ? a.cash > b.cash : a.arrival < b.arrival;
}

// Thread safety: confined to the owner thread.
class HostQueue {
 public:
  uint64_t size() const { return memory_.size() + delayed_.size() + spilled; }
  bool empty() const { return size() == 0; }
  size_t delayed() const { return delayed_.size(); }
  // All its pages wait for their time.
  bool only_waiting() const { return !empty() && size() == delayed_.size() + put_off; }
  // From when on it has a page to take: InfinitePast unless only_waiting().
  absl::Time first_time() const;
  // Whether a delayed page comes first. REQUIRES: only_waiting().
  bool DelayedComesFirst() const;
  size_t in_memory() const { return memory_.size(); }

  void Push(const QueuedPage& page);
  // The first one in memory. REQUIRES: in_memory() > 0.
  QueuedPage Pop();
  // One of the later half of those in memory that are not put off, if there is any; in constant
  // time while none is. REQUIRES: in_memory() > 0.
  QueuedPage PopLate();
  // Takes the later half of what is in memory out, at least one. REQUIRES: in_memory() > 0.
  std::vector<QueuedPage> TakeLaterHalf();
  void Delay(const QueuedPage& page, absl::Time not_before);
  bool HasDue(absl::Time now) const {
    return !delayed_.empty() && delayed_.front().not_before <= now;
  }
  bool PutOffIsDue(absl::Time now) const { return put_off > 0 && put_off_until <= now; }
  // The delayed page whose time comes first. REQUIRES: delayed() > 0.
  QueuedPage PopDelayed();
  void Clear() {
    const bool stays = withheld;
    *this = HostQueue();
    withheld = stays;
  }

  // Kept by PageQueue.
  uint64_t spilled = 0;       // pages in the spill
  uint64_t spill_number = 0;  // names this queue there; 0: not yet there in this session
  uint64_t spill_cash = 0;    // no page of this queue in the spill has more
  uint64_t put_off = 0;       // pages put off, in memory and in the spill
  uint64_t favoured = 0;      // pages favoured, wherever they are
  absl::Time put_off_until = absl::InfinitePast();
  bool withheld = false;  // its pages are not to be ordered

 private:
  struct DelayedPage {
    absl::Time not_before;
    QueuedPage page;
  };
  static bool Later(const DelayedPage& a, const DelayedPage& b) {
    return a.not_before > b.not_before;
  }

  std::vector<QueuedPage> memory_;    // a heap, the first page in front
  std::vector<DelayedPage> delayed_;  // a heap, the earliest in front
};

}  // namespace opic::scheduler
