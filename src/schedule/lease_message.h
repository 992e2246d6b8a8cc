// Leases of hosts: the messages between the Page Schedulers of a cluster when h_url = url, so that
// only one scheduler at a time fetches from a host although its pages are spread over all nodes
// (docs/design.md section 3).
//
// The *home* of a host is the node that owns the shard of its name. It leases the host to one
// scheduler at a time, which may be its own. Only this *holder* orders the host's pages. When the
// lease ends or nothing is queued, it returns the host with what it has learnt about its pace. A
// scheduler that has pages of a host queued and no lease requests one again and again.
//
// Messages go from scheduler to node to node to scheduler. They may be lost: a request
// is repeated, and a lease that is not returned lapses. Those of one process arrive in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/ids.h"

namespace opic::schedule {

// How long a lease lasts from the moment at which its request was *sent*, by the holder's clock.
// That is before it was granted, so the lease ends for the holder before it ends for the home,
// however long the messages took.
inline constexpr absl::Duration kLeaseTerm = absl::Seconds(12);
// How often a request is repeated, so that it is recent when it is granted; it is forgotten after
// kLeaseRequestLifetime.
inline constexpr absl::Duration kLeaseRequestAgain = absl::Seconds(4);
inline constexpr absl::Duration kLeaseRequestLifetime = absl::Seconds(10);
// A holder returns the host after this, for the benefit of other schedulers.
inline constexpr absl::Duration kLeaseTurn = absl::Seconds(2);
// A node postpones an order of a leased host that it cannot begin within this time.
inline constexpr absl::Duration kOrderPatience = absl::Seconds(5);
// Limits of one message.
inline constexpr size_t kLeaseEntriesMax = 4096;
inline constexpr size_t kLeaseRobotsBytesMax = 1 << 20;

// From the home to the holder.
struct HostLease {
  std::string host;
  uint64_t id = 0;       // of the loan, at this home
  absl::Time requested;  // LeaseMessage::sent of the request; the holder's clock
  absl::Duration term;   // from `requested`: no order after it
  std::string pace;      // scheduler/host_state.h
  std::string robots;    // verdicts of the host's origins (desk/robots_cache.h), added by the node
};

// From the holder to the home.
struct HostReturn {
  std::string host;
  uint64_t id = 0;
  std::string pace;
  std::string robots;
};

struct LeaseMessage {
  // At a scheduler: the sender. At a node: the receiver; when absent, each request goes to the home
  // of its host.
  std::optional<NodeId> peer;
  // Filled in by the node that sends it. `process` is the number of its process; a new number means
  // that every request of the process before has ended. 0: the node has lost the session with this
  // peer, and the rest of the message is empty.
  uint64_t cluster_id = 0, process = 0;
  // By the clock of the scheduler that wrote it, in whole microseconds: what comes back over a
  // wire, which has no finer ones, is compared with it.
  absl::Time sent;
  std::vector<std::string> requests;
  std::vector<HostLease> leases;
  std::vector<HostReturn> returns;
  // The sender holds no lease granted by a process of the receiver's node that is older than this
  // one; 0: the sender does not say.
  uint64_t clear_before = 0;
};

}  // namespace opic::schedule
