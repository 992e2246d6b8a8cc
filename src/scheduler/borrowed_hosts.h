// The hosts that this scheduler wishes for, and those that it has on loan
// (schedule/lease_letter.h).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "schedule/timed_heap.h"
#include "scheduler/host.h"

namespace opic::scheduler {

class BorrowedHosts {
 public:
  // REQUIRES: no lease; neither in line nor waiting for an address nor idle.
  void Wish(Host* host, absl::Time now);
  bool Wishes(const Host* host) const { return wishes_.Contains(host); }
  void Unwish(Host* host) { wishes_.Remove(host); }
  void ForgetWishes() { wishes_.Clear(); }
  // Names to be told now, at most `most`; each comes again after kWishAgain.
  std::vector<std::string> DueWishes(absl::Time now, size_t most);

  // REQUIRES: it is wished for.
  void Begin(Host* host, const Lease& lease);
  // The lease is given back. REQUIRES: it has one.
  void End(Host* host);
  // Takes out a host whose lease is over, for the caller to give it back as soon as nothing of it
  // is in flight; nullptr: there is none.
  Host* NextOver(absl::Time now);
  // The leases of `home` are over now.
  void Cancel(NodeId home, absl::Time now);
  bool HoldsAnyOf(NodeId home) const;
  void ForEach(absl::FunctionRef<void(Host*)> visit) const;
  size_t held() const { return held_.size(); }

  // When DueWishes, and NextOver, may have something.
  absl::Time next_wish() const;
  absl::Time next_over() const;

 private:
  // By name, so that a simulation can be repeated.
  struct Earlier {
    bool operator()(const Host* a, const Host* b) const { return a->name < b->name; }
    bool operator()(const std::pair<absl::Time, Host*>& a,
                    const std::pair<absl::Time, Host*>& b) const {
      return a.first != b.first ? a.first < b.first : a.second->name < b.second->name;
    }
  };

  schedule::TimedHeap<Host> wishes_;
  std::set<Host*, Earlier> held_;
  std::set<std::pair<absl::Time, Host*>, Earlier> ends_;  // of those held; not those NextOver took
};

}  // namespace opic::scheduler
