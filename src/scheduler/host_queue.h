// The queued pages of one host: those to be discovered, those to be read again, and those that have
// failed and wait for their time: *delayed*, in memory, or where there is no room for more, *put
// off* behind all others, with one time for all of them.
//
// While pages of both kinds are there, refreshes have their share of the turns: their plan has its
// part of the bandwidth, and neither kind waits for ever for the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "scheduler/page_lane.h"
#include "scheduler/refresh_order.h"

namespace opic::scheduler {

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
  uint64_t size() const { return discoveries.size() + rereadings.size() + delayed_.size(); }
  bool empty() const { return size() == 0; }
  size_t delayed() const { return delayed_.size(); }
  // All its pages wait for their time.
  bool only_waiting() const { return !empty() && size() == delayed_.size() + put_off; }
  // From when on it has a page to take: InfinitePast unless only_waiting().
  absl::Time first_time() const;
  // Whether a delayed page comes first. REQUIRES: only_waiting().
  bool DelayedComesFirst() const;
  size_t in_memory() const { return discoveries.in_memory() + rereadings.in_memory(); }

  PageLane& LaneOf(const QueuedPage& page) { return page.refresh ? rereadings : discoveries; }
  // From which the next page that is not delayed comes. REQUIRES: there is one.
  PageLane& NextLane();
  // Whether its turn is one of refreshes: there are some, and nothing else goes before all of them.
  bool has_refresh_turn() const;
  // A page of NextLane() was taken. `share`: of refreshes, above 0 and at most 1.
  void Took(const QueuedPage& page, double share, absl::Time now);

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
  PageLane discoveries, rereadings;
  RefreshOrder order;      // of rereadings
  uint64_t put_off = 0;    // pages put off, in memory and in the spill
  uint64_t favoured = 0;   // pages favoured, wherever they are
  DueRefreshes refreshes;  // wherever they are
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

  std::vector<DelayedPage> delayed_;  // a heap, the earliest in front
  // Turns that refreshes have had too few; negative: too many. Less than one.
  float owed_to_refreshes_ = 0;
};

}  // namespace opic::scheduler
