// Hosts on loan: what the Page Schedulers of a cluster write to each other when h_url = url, so
// that a host has one asker although its pages are spread over all nodes
// (docs/design.md section 3).
//
// The *home* of a host is the node that owns the shard of its name. It lends the host to one
// scheduler at a time, its own too: the *holder* alone orders the host's pages, until the lease
// ends or nothing is queued, and gives it back with what it has learnt of the host's pace. Who has
// pages of a host queued and no lease *wishes* for it, again and again.
//
// Letters go by way of the nodes: scheduler, node, node, scheduler. They may be lost: a wish is
// repeated, and a lease that is not given back lapses. What comes from one process comes in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/ids.h"

namespace opic::schedule {

// A lease lasts so long from the moment at which its wish was *sent*, by the holder's clock. That
// is before it was granted, so that it is over for the holder before it is for the home, however
// long the letter was on its way.
inline constexpr absl::Duration kLeaseTerm = absl::Seconds(12);
// A wish is repeated so often, to be young when it is granted; and is forgotten after
// kWishLifetime.
inline constexpr absl::Duration kWishAgain = absl::Seconds(4);
inline constexpr absl::Duration kWishLifetime = absl::Seconds(10);
// For whoever else wishes for the host, a holder gives it back after this.
inline constexpr absl::Duration kLeaseTurn = absl::Seconds(2);
// A node postpones an order of a lent host that it cannot begin within this time.
inline constexpr absl::Duration kOrderPatience = absl::Seconds(5);
// Of one letter.
inline constexpr size_t kLetterEntriesMax = 4096;
inline constexpr size_t kLetterRobotsBytesMax = 1 << 20;

// From the home to the holder.
struct HostLease {
  std::string host;
  uint64_t id = 0;      // of the loan, at this home
  absl::Time wished;    // LeaseLetter::sent of the wish; the holder's clock
  absl::Duration term;  // from `wished`: no order after it
  std::string pace;     // scheduler/host_state.h
  std::string robots;   // verdicts of the host's origins (node/robots_cache.h), added by the node
};

// From the holder to the home.
struct HostReturn {
  std::string host;
  uint64_t id = 0;
  std::string pace;
  std::string robots;
};

struct LeaseLetter {
  // To a scheduler: who wrote it. To a node: for whom it is; nothing: each wish for the home of its
  // host.
  std::optional<NodeId> peer;
  // Filled in by the node that sends it. The number of its process: another one than before means
  // that all which the process before had under way is over. 0: the node has lost the session with
  // this peer, and nothing else is told.
  uint64_t cluster_id = 0, process = 0;
  absl::Time sent;  // by the clock of the scheduler that wrote it
  std::vector<std::string> wishes;
  std::vector<HostLease> leases;
  std::vector<HostReturn> returns;
  // The writer holds no lease that an earlier process of the reader's node granted than this one;
  // 0: nothing told.
  uint64_t clear_before = 0;
};

}  // namespace opic::schedule
