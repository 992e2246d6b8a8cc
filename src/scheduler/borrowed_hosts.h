// The hosts for which this scheduler requests a lease, and those of which it holds one
// (schedule/lease_message.h).
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
  void Request(Host* host, absl::Time now);
  bool Requests(const Host* host) const { return requests_.Contains(host); }
  void ForgetRequests() { requests_.Clear(); }
  // Names to be requested now, at most `most`; each comes again after kLeaseRequestAgain.
  std::vector<std::string> DueRequests(absl::Time now, size_t most);

  // REQUIRES: it is requested.
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

  // When DueRequests, and NextOver, may have something.
  absl::Time next_request() const;
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

  schedule::TimedHeap<Host> requests_;
  std::set<Host*, Earlier> held_;
  std::set<std::pair<absl::Time, Host*>, Earlier> ends_;  // of those held; not those NextOver took
};

}  // namespace opic::scheduler
