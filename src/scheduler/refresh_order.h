// In which order the refreshes of a host are taken. Each has a deadline: its last reading by the
// plan, and its period times the *stretch*, by which periods turn out longer at this host than the
// plan wants them. The earliest deadline goes first.
//
// Where a host allows less than what falls due of it, periods grow in one ratio, which is the
// optimum under the smaller rate: the frequencies of thesis 3.1 are in proportion for any
// bandwidth. And no page waits for ever: what falls due later has a later deadline, but for the
// finitely many readings that fit in before.
//
// The stretch is what the pages taken lately had, the older ones for less.
//
// Thread safety: confined to the owner thread.
#pragma once

#include "absl/time/time.h"
#include "cash/amount.h"
#include "scheduler/page_lane.h"

namespace opic::scheduler {

class RefreshOrder {
 public:
  // Gives `page`, a refresh that is due since `due`, its place. `cash`, as it was offered with,
  // says its period (schedule/refresh_cash.h).
  void Place(absl::Time due, cash::Amount cash, QueuedPage& page) const;
  // It is taken now. Of one that has no place any more nothing is learnt.
  void Taken(const QueuedPage& page, absl::Time now);
  double stretch() const { return stretch_; }

 private:
  float stretch_ = 1;
};

}  // namespace opic::scheduler
