// Brings names and cash to the pages that they are for: to own pages, to the virtual page when a
// page is not known, or into the commit group for the node that owns the page.
//
// Thread safety: confined to the owner thread.
#pragma once

#include "absl/types/span.h"
#include "ledger/accounting.h"
#include "ledger/announced_pages.h"
#include "ledger/books.h"
#include "ledger/cluster_view.h"
#include "ledger/commit_group.h"
#include "ledger/drift.h"
#include "ledger/held_cash.h"
#include "ledger/placements.h"
#include "ledger/transfer.h"

namespace opic::ledger {

class Delivery {
 public:
  // All must outlive it.
  // `referrers`: those of pages are kept, and told.
  Delivery(Books& books, const ClusterView& view, Accounting& accounting,
           const Placements& placements, CommitGroup& group, Counts& counts, bool referrers);

  bool Own(PageId page) const { return placements_.Owns(page.shard()); }
  // In the table, or discovered by the present group.
  bool Knows(PageId page) const;

  // An own page. A link to an unknown one is a discovery, however small its share: its row is
  // written with the group, and its credit is in the journal even when it is of no cash. False:
  // known already.
  bool AddPage(PageId page, const std::string& url, uint32_t depth, const std::string& referrer);
  // A page of a peer: its owner hears of it, however small its share. False: it was announced
  // before.
  bool TellPage(PageId page, const std::string& url, uint32_t depth, const std::string& referrer);
  // Pages must be announced to peers anew: a folder was lost, or a shard has moved.
  void ForgetAnnounced() { announced_.Clear(); }

  // Takes in a transfer of a received batch.
  void Take(const Transfer& transfer);
  // Cash for an own page that is not known goes to the virtual page, at least until it is.
  void PayUnnamed(PageId page, cash::Amount amount);
  // Whether cash in the group is for an own page whose name has not arrived yet. A node that has
  // told a page by URL pays it by id from then on: when the page that links to it moves, or its own
  // shard does, that cash may be here before the URL, which goes another way.
  bool LacksName(PageId page) const;
  // Corrects the cash of pages that is off by what the equation says (Equation, Restating); the
  // virtual page pays and takes it. What is missing on a page of this node that is not known yet is
  // held for it. How many pages are of other nodes by now, and stay as they are.
  size_t Correct(absl::Span<const Drift> drifts);
  // What waits here for pages of a shard that has left is posted on after it.
  void PostHeld(ShardId shard);

  const HeldCash& held() const { return held_; }
  HeldCash& held() { return held_; }

 private:
  Books& books_;
  const ClusterView& view_;
  Accounting& accounting_;
  const Placements& placements_;
  CommitGroup& group_;
  Counts& counts_;
  const bool referrers_;
  HeldCash held_;
  AnnouncedPages announced_;  // to the peers, by URL
};

}  // namespace opic::ledger
