// On-line OPIC in memory (paper section 2, docs/algorithm.md section 3): the cash of every page and
// of the virtual page, what each page recorded, and the clock G. Which page is visited, and what it
// links to, is the caller's.
//
// Invariant: the cash of all pages and of the virtual page together is the supply, to the unit,
// between calls.
//
// The virtual page pays while its sweep passes: it owes every page the same, and a page met by the
// sweep receives what it is owed since it was last met. A visit moves the sweep by `kSweepPerVisit`
// pages, so that a turn takes a twelfth of a crawl of the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cash/amount.h"
#include "cash/split.h"
#include "importance/window.h"

namespace opic::sim {

inline constexpr uint64_t kSweepPerVisit = 12;

struct BankOptions {
  cash::SmallEdge epsilon;
  // Above 0 the paper's other small edge in place of epsilon: a page with links pays the share
  // w / (links + w), rounded as SmallEdge is.
  double edge_weight = 0;
  // What part of its payments the virtual page makes to pages never visited alone (the discovery
  // knob); 0 to 1.
  double unread_share = 0;
  cash::Amount supply = cash::kSupply;
  // Window policies whose histories are kept side by side; they change nothing in the run. T counts
  // kSupply.
  std::vector<importance::WindowOptions> windows;
};

// Thread safety: confined to the owner thread.
class OpicBank {
 public:
  // No page yet; the whole supply is the virtual page's.
  explicit OpicBank(const BankOptions& options);

  // A new page without cash; returns its number, counted from 0.
  uint32_t AddPage();

  // The paper's start: takes all that the virtual page can split evenly and makes it the initial
  // cash C0 of the pages. Importance, of windows too, counts earned cash only: C0 is left out of
  // cash, history and clock alike. REQUIRES: some pages, no visit yet; no page is added later.
  void EndowEvenly();

  // The sweep passes `pages` pages, at most one turn.
  void Sweep(uint64_t pages);

  // Records the page's cash and pays it along `links`: distinct pages, not the page itself; none
  // pays the virtual page.
  void Visit(uint32_t page, absl::Span<const uint32_t> links);

  uint32_t pages() const { return static_cast<uint32_t>(cash_.size()); }
  cash::Amount CashOf(uint32_t page) const { return cash_[page]; }
  cash::Sum HistoryOf(uint32_t page) const { return history_[page]; }
  cash::Amount on_pages() const { return on_pages_; }
  // For tests: added up from what it owes; looks at every page.
  cash::Amount virtual_cash() const;
  cash::Sum clock() const { return clock_; }
  uint64_t visits() const { return visits_; }
  uint32_t sweep_at() const { return sweep_at_; }  // the page that the sweep meets next

  // Static estimate over the full history: (H + C - C0) / (G + cash on pages - sum of C0);
  // Lemma 2.3 shows why C0 goes.
  std::vector<double> Importance() const;
  // The paper's own: (H + C) / (G + 1).
  std::vector<double> PlainImportance() const;
  // By the policy windows[window].
  std::vector<double> WindowImportance(size_t window) const;
  // Mean number of measures kept of a page; 1 for kInterpolation, which keeps one stamp and one H.
  double MeasuresPerPage(size_t window) const;
  // Mean size of the stored form of a page's history.
  double StoredBytesPerPage(size_t window) const;

 private:
  struct Kept {
    importance::Window window;
    std::vector<importance::History> histories;
  };
  // What is left of C0 on this page: all of it until the first visit.
  cash::SmallEdge SmallEdgeOf(size_t links) const;
  cash::Amount OwedUnread(uint32_t page) const {
    return read_[page] ? cash::Amount() : cash::Amount(owed_unread_ - unread_met_at_[page]);
  }
  void Receive(uint32_t page, cash::Amount owed);
  cash::Amount UnspentOn(uint32_t page) const {
    return history_[page] == 0 ? endowment_ : cash::Amount();
  }

  const cash::SmallEdge epsilon_;
  const double edge_weight_, unread_share_;
  const cash::Amount supply_;
  std::vector<cash::Amount> cash_;
  std::vector<cash::Sum> history_;
  cash::Amount endowment_;  // C0 of each page
  cash::Amount on_pages_;   // sum of cash_
  cash::Amount unspent_;    // what is left of C0 on pages not yet visited, in all
  cash::Sum clock_ = 0;
  cash::Sum earned_clock_ = 0;  // clock_ without the C0 recorded
  uint64_t visits_ = 0;

  cash::Amount unshared_;  // of the virtual page: not yet split into what it owes
  // Promised to each page since the beginning, modulo 2^64: differences count.
  uint64_t owed_each_ = 0;
  // owed_each_ when the sweep last met the page, or when it was added.
  std::vector<uint64_t> met_at_;
  std::vector<uint8_t> read_;  // visited at least once
  uint64_t unread_pages_ = 0;
  uint64_t owed_unread_ = 0;             // as owed_each_, to every unread page besides
  std::vector<uint64_t> unread_met_at_;  // as met_at_
  uint32_t sweep_at_ = 0;
  std::vector<Kept> kept_;
};

}  // namespace opic::sim
