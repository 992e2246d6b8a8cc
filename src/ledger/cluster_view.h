// The cluster as one node knows it: its own books and what its peers reported last.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include "ledger/books.h"
#include "ledger/peers.h"

namespace opic::ledger {

class ClusterView {
 public:
  // Both must outlive the view.
  ClusterView(const Books& books, const Peers& peers) : books_(books), peers_(peers) {}

  const Books& books() const { return books_; }
  const Peers& peers() const { return peers_; }

  // All cash ever recorded: G.
  cash::Sum clock() const { return books_.clock() + peers_.Total().clock; }
  uint64_t pages() const { return books_.table().totals().pages + peers_.Total().pages; }
  uint64_t unread() const {
    const page_table::Totals totals = books_.table().totals();
    return totals.pages - totals.done + peers_.Total().unread;
  }
  // Cash on pages.
  cash::Sum table() const { return books_.table().totals().cash + peers_.Total().table; }

 private:
  const Books& books_;
  const Peers& peers_;
};

}  // namespace opic::ledger
