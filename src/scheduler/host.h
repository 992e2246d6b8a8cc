// One host as the scheduler knows it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/ids.h"
#include "schedule/host_pace.h"
#include "schedule/timed_heap.h"
#include "scheduler/host_queue.h"

namespace opic::scheduler {

struct Crowd;  // crowd.h

// What this scheduler has on loan (borrowed_hosts.h).
struct Lease {
  NodeId home;
  uint64_t id = 0;
  absl::Time until;  // no order from then on
};

// Between two messages a host is in one of six places: in flight, in line at its time, waiting for
// its address or group, waiting for its lease, withheld (HostQueue::withheld), or idle (nothing
// queued). A host that is lent from here, or requested, is not idle. One with fewer orders in
// flight than it may have is in line, or waits for its address or group, besides.
struct Host {
  std::string name;
  schedule::HostPace pace;
  HostQueue queue;

  int in_flight = 0;      // orders not answered; above width() only if a NodeHello listed several
  int parallel = 1;       // how many there may be (schedule::PaceLimits)
  bool answers = false;   // it has answered since it is in memory
  uint32_t failures = 0;  // of it since then (HostPace::Learn)
  absl::Time hold_until = absl::InfinitePast();  // after an order that was not tried
  uint8_t holds = 0;                             // such orders in a row
  bool no_room = false;                          // the node had no memory for an answer

  uint32_t heap_slot = schedule::kNotInHeap;  // in line, waiting, or among the idle ones
  Crowd* address = nullptr;                   // last connected to
  Crowd* group = nullptr;                     // by the rules for hosts
  Crowd* waits_for = nullptr;                 // one of the two
  absl::Time waiting_since;

  std::optional<Lease> lease;

  // As the node says, in words (schedule::Outcome): it is past its budget, and withheld therefore
  // until the node tells its rules. Empty: it is not.
  std::string over_budget;

  bool leaving = false;  // its shard goes to another node
  bool stored = false;   // has a row in the store
  bool changed = false;  // the row is to be written or deleted

  // How many orders it may have now. One until it has answered, because its robots.txt has to be
  // known first; while it backs off; and if it has a crawl delay, which asks for rest.
  int width() const {
    const bool at_ease =
        answers && pace.backoff == absl::ZeroDuration() && pace.crawl_delay == absl::ZeroDuration();
    return at_ease ? parallel : 1;
  }
  bool MayHaveMore() const { return in_flight < width(); }
  bool WantsOrders() const { return !queue.empty() && !queue.withheld; }
  // When it may be asked again for a page that is queued. No request is made for the pages of a
  // host given up, so there is nothing to wait for.
  absl::Time ReadyTime(absl::Time now) const {
    if (pace.given_up(now)) return std::max(now, hold_until);
    return std::max({pace.next_allowed, hold_until, queue.first_time()});
  }
};

}  // namespace opic::scheduler
