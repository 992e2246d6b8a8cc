// How the cash of pages becomes their importance: by the paper's windows (window_accounting.h) or
// by ledger push (push_accounting.h). The ledger asks its accounting what to pay; it alone moves
// cash, and nothing else asks which of the two it is.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ledger/books.h"
#include "ledger/charter.h"
#include "ledger/cluster_view.h"
#include "ledger/journal.h"
#include "ledger/rows.h"
#include "ledger/transfer.h"
#include "page_table/page_table.h"

namespace opic::ledger {

// What the rows of some pages add up to.
struct RowSums {
  KindCounts kinds{};     // of visited pages, by the kind of their last visit
  cash::Sum history = 0;  // cash ever recorded
  cash::Sum kept = 0;     // of it, what the virtual page took
};

// What a commit group did with the cash of pages, in units without signs, as far as it passed
// between nodes.
struct GroupSums {
  bool fetched = false;   // a fetch was among its visits
  cash::Sum brought = 0;  // by transfers of peers
  cash::Sum away = 0;     // to pages of peers
};

class Accounting {
 public:
  virtual ~Accounting() = default;

  // --- Pages.

  // A page becomes known when `known` others are: fills in what its row keeps of that moment. What
  // the virtual page gives it at birth.
  virtual cash::Amount Born(PageRow& row, uint64_t known) const = 0;
  // Whether cash for a page that is not known here yet must wait for it (HeldCash); else it is the
  // virtual page's.
  virtual bool HoldsUnnamed() const = 0;
  // What the virtual page gives each new seed of this node besides, `known` pages being known here.
  virtual cash::Amount SeedShare(uint64_t known) = 0;
  // The history of a page before its first visit.
  virtual importance::History Unvisited(const PageRow& row) const = 0;
  // Whether links that a page had are given up only when a second reading says so, too.
  virtual bool ConfirmsLosses() const = 0;

  // --- Visits and the ends of groups.

  // A visit has taken `taken` off a page: records it in `row`, whose links are those to pay now,
  // appends what each link is paid, and returns what the virtual page gets. `before`: the links
  // that the page paid until now. Both sorted.
  virtual cash::Amount Visit(HistoryRow& row, absl::Span<const PageId> before, cash::Amount taken,
                             std::vector<page_table::Credit>& credits) = 0;
  struct Payment {
    cash::Amount kept;    // what the virtual page gets
    cash::Amount beyond;  // what the page paid beyond what was taken, and owes from now on; below
                          // zero: it paid less, and is left with the rest
  };
  // The same of a visit without a fetch, along the links of the row, which may pay more than was
  // taken: `planned` in all, where that is given.
  virtual Payment Settle(HistoryRow& row, cash::Amount taken, std::optional<cash::Amount> planned,
                         std::vector<page_table::Credit>& credits) = 0;
  // Whether settled pages may pay what a plan says (importance/payment_plan.h).
  virtual bool PaysByPlan() const = 0;
  // What the virtual page pays out after a group of so many visits.
  virtual std::vector<Instalment> Instalments(size_t visits) = 0;
  virtual Rounding RoundingFor(absl::Span<const page_table::Credit> credits,
                               absl::Span<const Instalment> instalments) const = 0;
  // The group does more than to settle: pages become unread, move, or are corrected.
  virtual void DoesMore() = 0;
  // The group's cash has moved.
  virtual void GroupEnds(const GroupSums& group) = 0;
  // Nothing is left to fetch, anywhere.
  virtual void GraphStandsStill() = 0;
  // What the ledger must write although no cash has moved.
  virtual bool dirty(const Balances& last) const = 0;

  // --- Between nodes.

  // FailedPrecondition: the batch carries what this accounting cannot have sealed.
  virtual absl::Status Check(const TransferBatch& batch) const = 0;
  // The peer's part of what the virtual page here has; at most what it can pay.
  virtual cash::Amount OwedTo(NodeId peer) const = 0;
  virtual void PaidTo(NodeId peer, cash::Amount amount) = 0;
  // Now and then: more becomes owed to the peers.
  virtual void ShareVirtualPage() = 0;
  // What the virtual page took of all that a page ever recorded (RowSums).
  virtual cash::Sum KeptOf(const HistoryRow& row) const = 0;
  // Rows leave for another node, or arrive.
  virtual void Departed(const RowSums& rows) = 0;
  virtual void Arrived(const RowSums& rows) = 0;
  virtual void AddTo(NodeSums& sums) const = 0;

  // --- What lasts over restarts.

  virtual void AddTo(Balances& balances) const = 0;
  virtual void Recovered(const Balances& balances) = 0;

  // --- The ranking.

  // The importance of an own page, as share of 1.
  virtual double Estimate(const importance::History& history, cash::Amount cash) const = 0;
  // The same by what is known now, at any time and on any thread. `visited`: null before the first
  // visit.
  using Estimator = std::function<double(const PageRow& name, const importance::History* visited,
                                         cash::Amount cash)>;
  virtual Estimator EstimatorOfNow() const = 0;
  // How far the estimates of all pages are from the importance of the links known now, added up
  // without signs (L1). No less than the truth by ledger push; with windows the paper's 1/G.
  virtual double ErrorBound() const = 0;
  // How far they are off besides, in expectation, by what cells have rounded since all pages were
  // restated last. 0 with windows, which forget it.
  virtual double RoundingError() const = 0;
  // Whether settling has made the estimates as good as it is asked to: by ledger push `error`
  // bounds them, but for what pages add that are to be fetched again; with windows the clock must
  // have grown by one.
  virtual bool Converged(double error) const = 0;
  // How much of settling is done, 0 to 1.
  virtual double Settled(double error) const = 0;
  // A done page with less cash than this, in either sense, need not be settled.
  virtual cash::Amount SettleFloor(double error) const = 0;
  // A reference of the page table (PageTable::SetReference) that would tell ErrorBound more
  // exactly; nothing: the present one will do.
  virtual std::optional<cash::Amount> BetterReference() const = 0;
};

struct AccountingOptions {
  uint16_t nodes = 1;  // this one, too
  // For windows (VirtualPage):
  double unread_share = 0;
  uint64_t instalment_pages_max = 1 << 20;
};
// The one that the charter names. `view` must outlive it.
std::unique_ptr<Accounting> MakeAccounting(const Charter& charter, const AccountingOptions& options,
                                           const ClusterView& view);

}  // namespace opic::ledger
