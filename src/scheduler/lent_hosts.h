// The hosts whose home is here and that some node has requested or holds on a lease
// (schedule/lease_message.h).
//
// A host has one lease at a time. Lease requests are granted in the order of their arrival, each
// after the return of the lease before, so that each node gets its turn. A lease that is not
// returned *lapses* when it must be over for its holder, with the holder's last fetch.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "base/ids.h"
#include "schedule/timed_heap.h"
#include "scheduler/host.h"

namespace opic::scheduler {

class LentHosts {
 public:
  // `first_id`: above that of any loan that a process before this one has made.
  explicit LentHosts(uint64_t first_id) : next_id_(first_id) {}

  bool Knows(const Host* host) const { return entries_.contains(host); }
  size_t out() const { return out_; }

  // `node` requests a lease, at `sent` by its clock; its request before is forgotten. The host may
  // be lent from `free` on.
  void Request(Host* host, NodeId node, absl::Time sent, absl::Time now, absl::Time free);
  // True: that loan was out and is back; the host may be lent again from `free` on, see Free.
  bool Return(Host* host, NodeId node, uint64_t id);
  // From when on a host that is not out may be lent. Forgets a host that nobody requests; true
  // then.
  bool Free(Host* host, absl::Time free);

  struct Due {
    Host* host = nullptr;  // null: nothing is due
    bool lapsed = false;   // its loan; it is out no more, Free must follow
  };
  Due NextDue(absl::Time now);
  struct Grant {
    NodeId node;
    uint64_t id = 0;
    absl::Time requested;  // LeaseMessage::sent of the request
  };
  // Lends the host until `lapses`. Nothing: no request is young enough; Free must follow. REQUIRES:
  // not out.
  std::optional<Grant> Lend(Host* host, absl::Time now, absl::Time lapses);

  // Forgets the requests of `node` for all hosts, or all nodes'. What is out stays out.
  void ForgetRequests(std::optional<NodeId> node);
  // Forgets all requests for hosts that `gone` accepts.
  void ForgetRequests(absl::FunctionRef<bool(const Host&)> gone);
  // `node` has certainly nothing on loan any more: the hosts that it had. Free must follow for
  // each.
  std::vector<Host*> EndLoansOf(NodeId node);
  bool AnyOut(absl::FunctionRef<bool(const Host&)> of) const;
  void ForEach(absl::FunctionRef<void(Host*)> visit) const;

  // When NextDue may have something.
  absl::Time next() const { return due_.empty() ? absl::InfiniteFuture() : due_.first_time(); }

 private:
  struct LeaseRequest {
    NodeId node;
    absl::Time sent, heard;
  };
  struct Loan {
    NodeId node;
    uint64_t id = 0;
  };
  struct Entry {
    Host* host = nullptr;
    std::deque<LeaseRequest> requests;  // at most one a node
    std::optional<Loan> loan;
    uint32_t heap_slot = schedule::kNotInHeap;  // by when to look at it again
  };
  void End(Entry& entry);

  uint64_t next_id_;
  size_t out_ = 0;
  absl::flat_hash_map<const Host*, std::unique_ptr<Entry>> entries_;
  schedule::TimedHeap<Entry> due_;
};

}  // namespace opic::scheduler
