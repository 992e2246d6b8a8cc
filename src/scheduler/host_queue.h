// The queued pages of one host: the best ones in memory, the rest in the spill (page_queue.h), and
// those that have failed and wait for their time: *delayed*, in memory too, or where there is no
// room for more, *put off* behind all others, with one time for all of them.
#pragma once

#include <algorithm>
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
  uint64_t arrival : 55 = 0;  // numbers the offers of a session
  uint64_t attempts : 7 = 0;  // failed so far
  uint64_t favoured : 1 = 0;  // schedule::Offer::favoured
  uint64_t refresh : 1 = 0;   // it was read before (schedule::Offer::due)
};
static_assert(sizeof(QueuedPage) == 24);

inline constexpr uint64_t kFront = ~uint64_t{0};
inline constexpr uint64_t kPutOffMax = 255;

// Largest cash first, then in order of arrival.
inline bool Before(const QueuedPage& a, const QueuedPage& b) {
  return a.cash != b.cash ? a.cash > b.cash : a.arrival < b.arrival;
}

// When the refreshes of a host are due: how many are queued, and the first and the last one's time.
// Those between count as due at even intervals. So the host's turns can be given by time, whichever
// of its pages each one takes.
class DueRefreshes {
 public:
  uint64_t count() const { return count_; }
  // When the next turn of the host is due; after the last one, when that was.
  absl::Time first() const { return first_; }
  void Add(absl::Time due) {
    first_ = count_ > 0 ? std::min(first_, due) : due;
    last_ = count_ > 0 ? std::max(last_, due) : due;
    ++count_;
  }
  // REQUIRES: count() > 0.
  void TakeFirst() {
    if (--count_ > 0) first_ += (last_ - first_) / static_cast<double>(count_);
  }

 private:
  uint64_t count_ = 0;
  absl::Time first_ = absl::InfinitePast(), last_ = absl::InfinitePast();
};

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
  // Whether the page that Pop returns is a refresh. With none in memory: whether all are.
  bool next_is_refresh() const {
    return memory_.empty() ? refreshes.count() == size() : memory_.front().refresh != 0;
  }

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
  DueRefreshes refreshes;     // wherever they are
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
