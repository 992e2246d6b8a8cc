// What a commit group has for the peers is sealed into batches: pieces of shards that leave, cash
// for pages of theirs, and their shares of the virtual page (rule R1: sent once it is on disk).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "ledger/delivery.h"
#include "ledger/options.h"
#include "ledger/peers.h"

namespace opic::ledger {

class Sealing {
 public:
  // All must outlive it.
  Sealing(const Options& options, Books& books, Peers& peers, const Placements& placements,
          Accounting& accounting, Delivery& delivery, CommitGroup& group, Counts& counts);

  // What this node would tell a peer now; `idle` is the caller's to fill in.
  NodeSums Sums() const;
  // What the virtual page owes the reachable peers (VirtualShares) is sealed next.
  void ShareVirtualPage(absl::FunctionRef<bool(NodeId)> reachable);
  // What is for pages of peers, in credits sorted by page, is sealed for them, in batches of this
  // epoch; what is for own pages is left.
  std::vector<page_table::Credit> SealForPeers(std::vector<page_table::Credit> credits,
                                               uint64_t epoch);

 private:
  void PayVirtualShare(NodeId peer);

  const Options& options_;
  Books& books_;
  Peers& peers_;
  const Placements& placements_;
  Accounting& accounting_;
  Delivery& delivery_;
  CommitGroup& group_;
  Counts& counts_;
};

}  // namespace opic::ledger
