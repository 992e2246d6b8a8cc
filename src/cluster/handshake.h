// Whether the node that says Hello is who it should be, and its disk and ours agree about what
// passed the channel between us (docs/design.md section 5).
//
// Watermarks are reported only after they are durable (R1, R2) and never fall. So a peer that knows
// less than it once reported has lost a part of its data folder, and so have we when it knows more
// of us than we do.
#pragma once

#include <deque>
#include <string>

#include "absl/status/status.h"
#include "cluster/messages.h"
#include "cluster/shard_map.h"
#include "ledger/peer_book.h"

namespace opic::cluster {

// What this node knows about the peer and their channel. Borrowed for a call.
struct PeerState {
  const ShardMap& map;
  NodeId self, peer;
  uint64_t cluster_id;
  importance::Method method;
  const ledger::PeerBook& book;                  // as on disk
  const std::deque<ledger::Retained>& retained;  // what the peer has not acknowledged
  uint32_t generation;                           // of the peer's data folder
  uint64_t birth;                                // 0: never met
  uint32_t own_generation;                       // of this node's data folder
  Incarnation own;                               // of this process
  Incarnation met;                               // of the peer's process that was met last

  // The last of our batches that the peer has acknowledged.
  uint64_t acknowledged() const {
    return retained.empty() ? book.sealed : retained.front().sequence - 1;
  }
};

// Why this process runs on a copy of its folder, on which another process runs too or ran since, or
// on a new folder in the place of one that was lost, by what the peer knows; empty: it does not.
std::string CopyOfThisNode(const Hello& hello, const PeerState& known);

// FailedPrecondition says what does not fit, with the numbers, and what the operator can do.
absl::Status CheckHello(const Hello& hello, const PeerState& known);

// What a node says of itself and cannot be ("its cash on pages is 7, at most 5 is possible");
// empty: it may be so. More cash than there is, counters that cannot be added.
std::string FaultOf(const ledger::NodeSums& sums);

}  // namespace opic::cluster
