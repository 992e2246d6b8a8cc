// The equation of ledger push (importance/push.h, (I)) worked out anew from rows and cells, page by
// page: what each page's cash should be, against what it is.
//
//   Equation equation(charter);
//   equation.Add(ledger, store);   // of every node: its own pages and what they have paid
//   for (auto [page, drift] : equation.Drifts()) ...
//
// The difference of a page is its *drift*. Visits, settling and re-reading leave it as it is, to
// the unit; rounding of cells moves it a little, and a loss of rows or credits by what was lost. So
// a drift that was found at some moment may be corrected by a credit at any later one.
//
// Cash on its way between nodes is on no page: it shows as drift of the pages that it is for.
// Memory: some 40 bytes a page and link target.
//
// Thread safety: confined to one thread.
#pragma once

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "ledger/drift.h"
#include "ledger/ledger.h"

namespace opic::ledger {

class Equation {
 public:
  explicit Equation(const Charter& charter) : charter_(charter) {}

  // Takes in the pages of one node as of its last commit. REQUIRES: nothing is in its commit group.
  // DataLoss: a row is damaged, or rows and table do not agree.
  absl::Status Add(const Ledger& ledger, store::Store& store);
  // Cash that is on its way to a page.
  void AddUnderWay(PageId page, cash::Amount amount) { known_[page].off += amount.units(); }

  // By page. Also of pages that links name and nobody knows: what was paid for them, and is neither
  // held nor under way. REQUIRES: all nodes were added.
  std::vector<Drift> Drifts() const;
  uint64_t pages() const { return pages_; }
  uint64_t links() const { return links_; }
  // What all pages added have recorded, and what the virtual page took of that.
  cash::Sum history() const { return history_; }
  cash::Sum kept() const { return kept_; }
  // The histories and the cash of unread pages (importance::PushFlow).
  cash::Sum flow() const { return history_ + unread_; }

 private:
  struct Sides {
    cash::Sum off = 0;   // H + C - b of the page, less what its links to it have paid
    bool added = false;  // it is a page of a node that was added
  };

  const Charter charter_;
  absl::flat_hash_map<PageId, Sides> known_;
  uint64_t pages_ = 0, links_ = 0;
  cash::Sum history_ = 0, kept_ = 0, unread_ = 0;
};

}  // namespace opic::ledger
