// All queued pages of a session: per host those to be discovered by cash, those to be read again by
// their deadlines (refresh_order.h), a bounded number in memory, the rest in the store's spill.
//
// A page that has failed may be delayed: it comes back at a time of its own, before the others,
// which go on meanwhile. A bounded number is delayed; further ones are put off: they come back
// after all others of their host, and not before the latest of their times.
//
// A page offered is never refused and never lost while the session lasts. Order within a host is
// exact across memory and spill: memory holds the pages that come first. The spill is volatile:
// written without sync, cleared when a session begins (docs/formats/scheduler_store.md).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "schedule/messages.h"
#include "scheduler/host_queue.h"
#include "store/store.h"

namespace opic::scheduler {

enum class Choice : uint8_t {
  kDueFirst,  // a delayed page whose time has come, else the first
  kNewFirst,  // the first, else a delayed one
  kProbe,     // one far from the first, to find out whether a host fails or a part of its pages;
              // else a delayed one
};

// Since when a refresh is due; and for the turns of its host (DueRefreshes).
struct DueSince {
  absl::Time plan, turn;
};

class PageQueue {
 public:
  // `store` must outlive the queue. `in_memory_max` pages may be in memory, besides those put in
  // front again.
  PageQueue(store::Store& store, size_t in_memory_max);

  // `due`: of a refresh; its cash is schedule::CashOfFrequency.
  void Add(HostQueue& queue, PageId page, cash::Amount cash, bool favoured = false,
           std::optional<DueSince> due = std::nullopt);
  // A page that was taken and must be taken again, before all others of its host.
  void AddInFront(HostQueue& queue, QueuedPage page);
  // A page that was taken and must be taken again, not before that time.
  void Delay(HostQueue& queue, QueuedPage page, absl::Time not_before);
  // A page of the host; one that waits for its time only where there is no other, the first of
  // them. REQUIRES: not empty. Fails when the spill cannot be read: try again later.
  absl::StatusOr<QueuedPage> Take(HostQueue& queue, Choice choice, absl::Time now);
  // Of refreshes in the turns of a host with pages of both kinds, above 0 and at most 1.
  // Pages to be discovered have some at least.
  void SetRefreshShare(double share) { refresh_share_ = std::min(share, kRefreshShareMost); }
  // Whether its pages are not to be taken.
  void Withhold(HostQueue& queue, bool withheld);
  // Forgets what is queued of one host.
  void Drop(HostQueue& queue);
  // Forgets everything. The caller has cleared, or drops, every HostQueue.
  void Clear();
  // Writes what is to be spilled. Until that succeeds it is kept in memory: ask for no further
  // pages.
  absl::Status Flush();

  uint64_t queued() const { return in_memory_ + delayed_ + on_disk_; }
  uint64_t on_disk() const { return on_disk_; }
  uint64_t waiting() const { return delayed_ + put_off_; }  // for their time, after a failure
  uint64_t hosts() const { return hosts_; }                 // with a page queued
  uint64_t withheld() const { return withheld_; }           // of those queued
  uint64_t hosts_withheld() const { return hosts_withheld_; }
  // Above QueuedPage::arrival of all pages added in this session.
  uint64_t next_arrival() const { return next_arrival_; }

 private:
  // Before a page comes in, after one has gone. A refresh that comes back is due as the next one.
  void CountIn(HostQueue& queue, const QueuedPage& page) {
    CountIn(queue, page, queue.refreshes.first());
  }
  void CountIn(HostQueue& queue, const QueuedPage& page, absl::Time due);
  void CountOut(HostQueue& queue, const QueuedPage& page);
  // REQUIRES: it is counted in.
  void Place(HostQueue& queue, const QueuedPage& page);
  void Insert(PageLane& lane, const QueuedPage& page);
  void Spill(PageLane& lane, const QueuedPage& page);
  void SpillLaterHalf(HostQueue& queue);
  absl::Status Refill(PageLane& lane);

  static constexpr double kRefreshShareMost = 63.0 / 64;

  store::Store& store_;
  const size_t in_memory_max_;
  double refresh_share_ = schedule::Capacity::kRefreshShare;
  const size_t host_in_memory_max_;
  const size_t delayed_max_;
  store::Batch unwritten_;
  uint64_t in_memory_ = 0;  // not delayed
  uint64_t delayed_ = 0;
  uint64_t put_off_ = 0;  // in memory and on disk
  uint64_t on_disk_ = 0;
  uint64_t hosts_ = 0;
  uint64_t withheld_ = 0, hosts_withheld_ = 0;
  uint64_t next_arrival_ = 1;
  uint64_t next_spill_number_ = 1;
};

}  // namespace opic::scheduler
