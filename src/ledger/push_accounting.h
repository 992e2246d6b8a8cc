// Ledger push (importance/push.h): cash is the signed residual of an equation, and history is
// repaired instead of forgotten.
//
// The virtual page only takes. It gives each page its base at birth, for which its account may go
// below zero on a node that has no part of the supply, and so the cluster's sum stays the supply.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include "importance/push.h"
#include "importance/relaxation.h"
#include "ledger/accounting.h"

namespace opic::ledger {

class PushAccounting final : public Accounting {
 public:
  PushAccounting(const Charter& charter, const ClusterView& view)
      : charter_(charter), view_(view), relaxation_(charter.epsilon) {}

  cash::Amount Born(PageRow&, uint64_t) const override { return charter_.base; }
  cash::Amount SeedShare(uint64_t) override { return cash::Amount(); }
  importance::History Unvisited(const PageRow&) const override { return {}; }
  bool ConfirmsLosses() const override { return true; }
  bool HoldsUnnamed() const override { return true; }

  cash::Amount Visit(HistoryRow& row, absl::Span<const PageId> before, cash::Amount taken,
                     std::vector<page_table::Credit>& credits) override;
  Payment Settle(HistoryRow& row, cash::Amount taken, std::optional<cash::Amount> planned,
                 std::vector<page_table::Credit>& credits) override;
  bool PaysByPlan() const override { return true; }
  std::vector<Instalment> Instalments(size_t) override { return {}; }
  Rounding RoundingFor(absl::Span<const page_table::Credit>,
                       absl::Span<const Instalment>) const override {
    return Rounding::kUnbiased;
  }
  void DoesMore() override { relaxation_.DoesMore(); }
  void GroupEnds(const GroupSums& group) override;
  void GraphStandsStill() override {}
  bool dirty(const Balances&) const override { return false; }

  absl::Status Check(const TransferBatch& batch) const override;
  cash::Amount OwedTo(NodeId) const override { return cash::Amount(); }
  void PaidTo(NodeId, cash::Amount) override {}
  void ShareVirtualPage() override {}
  cash::Sum KeptOf(const HistoryRow& row) const override;
  void Departed(const RowSums& rows) override;
  void Arrived(const RowSums& rows) override;
  void AddTo(NodeSums& sums) const override;

  void AddTo(Balances& balances) const override;
  void Recovered(const Balances& balances) override;

  double Estimate(const importance::History& history, cash::Amount cash) const override;
  Estimator EstimatorOfNow() const override;
  double ErrorBound() const override;
  double RoundingError() const override;
  bool Converged(double error) const override { return SettledError() <= error; }
  double Settled(double error) const override;
  cash::Amount SettleFloor(double error) const override;
  std::optional<cash::Amount> BetterReference() const override;

 private:
  // Records the cash and pays the differences that follow from it; what the virtual page gets.
  cash::Amount Pay(HistoryRow& row, absl::Span<const PageId> before, cash::Amount recorded,
                   std::vector<page_table::Credit>& credits);
  void AddTotals(NodeSums& sums) const;  // all but what was rounded
  cash::Sum Rounded() const;
  cash::Amount EvenShare() const;
  cash::Sum Residual() const;
  importance::PushTotals Totals() const;
  double SettledError() const;

  const Charter charter_;
  const ClusterView& view_;
  // The cash that own pages recorded, and what the virtual page took of it.
  cash::Sum history_ = 0, kept_ = 0;
  importance::Relaxation relaxation_;
};

}  // namespace opic::ledger
