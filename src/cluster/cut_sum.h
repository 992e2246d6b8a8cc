// The sum over a consistent cut: what an audit answers (docs/design.md section 5).
//
// Each node's part is from another moment, but no message crosses from after the sender's part to
// before the receiver's, since every message carries its sender's epoch. So cash is in exactly one
// place: a table, a virtual page, or a channel, where it is counted from the batches that the
// sender retained and the receiver had not applied.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "ledger/peer_book.h"

namespace opic::cluster {

// A pair of nodes whose parts do not fit together: one of them was restarted in between and had
// forgotten the epoch. The audit is to be taken again, with a later one. Of parts that do not name
// each other, `to` need not be a node that gave a part.
struct TornChannel {
  NodeId from, to;
};

// Two nodes whose disks cannot both be right. What a node has applied was sealed on a disk before,
// and what was acknowledged to it was applied on one; neither ever falls. So a part that was taken
// later and tells less than an earlier part of the other node proves that a disk has lost
// something, has a copy, or was sent a forgery, whatever was restarted in between.
struct Contradiction {
  NodeId sender, receiver;  // of the channel
  uint64_t batch = 0;       // of it, that one of them knows
  uint64_t last = 0;        // of it, that the other knows
  bool sender_is_behind = false;
};

// The first one, between the parts of two cuts; every part of `later` was taken after all of
// `earlier`. Channels whose folders were exchanged in between are left out.
std::optional<Contradiction> ContradictionOf(absl::Span<const ledger::Cut> earlier,
                                             absl::Span<const ledger::Cut> later);

struct CutSum {
  cash::Sum expected = 0;  // what was ever issued: the supply
  cash::Sum tables = 0, virtual_pages = 0;
  cash::Sum in_flight = 0;
  uint64_t in_flight_batches = 0;
  std::optional<TornChannel> torn;  // then the sums mean nothing

  cash::Sum total() const { return tables + virtual_pages + in_flight; }
};

// `parts[n]` is that of node n, all of the same epoch, none missing. Total: parts that do not name
// each other count as torn.
CutSum SumOf(absl::Span<const ledger::Cut> parts);

}  // namespace opic::cluster
