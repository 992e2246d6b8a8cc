// The paper's accounting: cash circulates through the virtual page for ever, and importance is the
// share of the cash that passed through a page in a window of the clock (paper sections 2 and 3.3).
//
// No cash is ever below zero. Visits pay a share epsilon to the virtual page, which returns it in
// instalments to all pages (virtual_page.h, virtual_shares.h).
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include "base/check.h"
#include "importance/newcomers.h"
#include "importance/window.h"
#include "ledger/accounting.h"
#include "ledger/virtual_page.h"
#include "ledger/virtual_shares.h"

namespace opic::ledger {

class WindowAccounting final : public Accounting {
 public:
  WindowAccounting(const Charter& charter, const AccountingOptions& options,
                   const ClusterView& view);

  cash::Amount Born(PageRow& row, uint64_t known) const override;
  cash::Amount SeedShare(uint64_t known) override;
  importance::History Unvisited(const PageRow& row) const override;
  bool ConfirmsLosses() const override { return false; }
  bool HoldsUnnamed() const override { return false; }

  cash::Amount Visit(HistoryRow& row, absl::Span<const PageId> before, cash::Amount taken,
                     std::vector<page_table::Credit>& credits) override;
  bool PaysByPlan() const override { return false; }
  Payment Settle(HistoryRow& row, cash::Amount taken, std::optional<cash::Amount> planned,
                 std::vector<page_table::Credit>& credits) override {
    OPIC_CHECK(!planned) << "a window is paid what there is";
    return {.kept = Visit(row, row.links, taken, credits), .beyond = cash::Amount()};
  }
  std::vector<Instalment> Instalments(size_t visits) override;
  Rounding RoundingFor(absl::Span<const page_table::Credit> credits,
                       absl::Span<const Instalment> instalments) const override;
  void DoesMore() override {}
  void GroupEnds(const GroupSums& group) override;
  void GraphStandsStill() override;
  bool dirty(const Balances& last) const override { return origin_ != last.origin; }

  absl::Status Check(const TransferBatch& batch) const override;
  cash::Amount OwedTo(NodeId peer) const override;
  void PaidTo(NodeId peer, cash::Amount amount) override { shares_.Paid(peer, amount); }
  void ShareVirtualPage() override;
  cash::Sum KeptOf(const HistoryRow&) const override { return 0; }
  // A page's past stays part of the clock of the node that recorded it.
  void Departed(const RowSums&) override {}
  void Arrived(const RowSums&) override {}
  void AddTo(NodeSums& sums) const override;

  void AddTo(Balances& balances) const override;
  void Recovered(const Balances& balances) override;

  double Estimate(const importance::History& history, cash::Amount cash) const override;
  Estimator EstimatorOfNow() const override;
  double ErrorBound() const override;
  double RoundingError() const override { return 0; }
  bool Converged(double error) const override;
  double Settled(double error) const override;
  cash::Amount SettleFloor(double) const override { return cash::Amount(1); }
  std::optional<cash::Amount> BetterReference() const override { return std::nullopt; }

 private:
  // The cluster's G when the graph last came to stand still, and at the last fetch anywhere.
  cash::Sum origin() const;
  cash::Sum settled_since() const;
  void ShareEarnings(uint64_t own_pages);

  const Charter charter_;
  const uint16_t nodes_;
  const ClusterView& view_;
  const importance::Window window_;
  VirtualPage virtual_page_;
  VirtualShares shares_;
  importance::Newcomers newcomers_;
  cash::Sum fetch_clock_ = 0, origin_ = 0;
};

}  // namespace opic::ledger
