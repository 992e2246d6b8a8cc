// How the virtual page of a cluster is one page, although each node holds a part of its cash
// (docs/algorithm.md section 3; docs/decisions/2026-11-21-virtual-shares.md).
//
// It has a link to every page of the cluster. So what the visits of a node pay to it belongs to the
// pages of all nodes alike: it is shared out by how many pages each node knows. A node pays its own
// share to its own pages, in passes (VirtualPage), and owes the peers theirs until the next batch.
// Since no node keeps more than its share, a fast one pays its pages no more than a slow one.
//
// What a node has when it is opened, the supply at genesis before all, is shared too, a half at a
// time: pages are only becoming known then.
//
// Nothing of this is stored. What was owed when a node ended is shared anew when it is opened.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/ids.h"
#include "cash/amount.h"

namespace opic::ledger {

class VirtualShares {
 public:
  // Without peers nothing is ever owed or reserved.
  VirtualShares(NodeId self, uint16_t nodes) : self_(self), owed_(nodes) {}

  // What the virtual page has at the start.
  void Opened(cash::Amount amount);

  // Visits of this node have paid the virtual page.
  void Earned(cash::Amount amount);
  // Makes half of what is left of the opening cash shareable.
  void ReleaseHalf();
  // Shares out what was earned and released. `pages` of each node, by number; while nobody knows
  // any, everything waits.
  void Share(absl::Span<const uint64_t> pages);

  cash::Amount owed(NodeId peer) const { return owed_[peer.value]; }
  // The peer is paid. REQUIRES: at most what is owed.
  void Paid(NodeId peer, cash::Amount amount);
  // The part of the virtual page's account here that own pages may not be paid from.
  cash::Amount reserved() const { return reserved_; }

 private:
  const NodeId self_;
  std::vector<cash::Amount> owed_;  // by number; the own one stays empty
  cash::Amount opening_, unshared_;
  cash::Amount reserved_;  // opening_ + unshared_ + all of owed_
};

}  // namespace opic::ledger
