#include "ledger/window_accounting.h"

#include <algorithm>

#include "cash/split.h"

namespace opic::ledger {

WindowAccounting::WindowAccounting(const Charter& charter, const AccountingOptions& options,
                                   const ClusterView& view)
    : charter_(charter),
      nodes_(options.nodes),
      view_(view),
      window_(charter.window),
      virtual_page_(options.unread_share, options.instalment_pages_max),
      shares_(charter.node, options.nodes) {
  shares_.Opened(charter.genesis);
}

cash::Sum WindowAccounting::origin() const {
  return std::max(origin_, view_.peers().Total().origin);
}

cash::Sum WindowAccounting::settled_since() const {
  return std::max({fetch_clock_, view_.peers().Total().fetch_clock, origin()});
}

// --- Pages.

cash::Amount WindowAccounting::Born(PageRow& row, uint64_t known) const {
  row.stamp = view_.clock();
  row.prior = static_cast<float>(newcomers_.Prior(known));
  return cash::Amount();
}

cash::Amount WindowAccounting::SeedShare(uint64_t known) {
  shares_.ReleaseHalf();
  ShareEarnings(known);
  const uint64_t payable = VirtualPage::Payable(view_.books(), shares_.reserved());
  return cash::Amount(static_cast<int64_t>(payable / known));
}

importance::History WindowAccounting::Unvisited(const PageRow& row) const {
  return window_.Discovered(row.stamp, row.prior, origin());
}

// --- Visits and the ends of groups.

cash::Amount WindowAccounting::Visit(HistoryRow& row, absl::Span<const PageId>, cash::Amount taken,
                                     std::vector<page_table::Credit>& credits) {
  const cash::Sum now = view_.clock();
  window_.Visit(row.history, taken, now, origin());
  if (row.visits == 1) {
    newcomers_.Observe(window_.Estimate(row.history, cash::Amount(), now, view_.table(), origin()),
                       view_.pages());
  }
  const cash::Split split = cash::SplitCash(taken, row.links.size(), charter_.epsilon);
  shares_.Earned(split.virtual_share);
  if (split.per_link.units() > 0) {
    for (PageId link : row.links) credits.push_back({link, split.per_link});
  }
  return split.virtual_share;
}

std::vector<Instalment> WindowAccounting::Instalments(size_t visits) {
  virtual_page_.VisitsMade(visits);
  ShareEarnings(view_.books().table().totals().pages);
  return virtual_page_.Due(view_.books(), shares_.reserved());
}

Rounding WindowAccounting::RoundingFor(absl::Span<const page_table::Credit> credits,
                                       absl::Span<const Instalment> instalments) const {
  return view_.books().RoundingFor(credits, instalments);
}

void WindowAccounting::GroupEnds(const GroupSums& group) {
  if (group.fetched) fetch_clock_ = view_.clock();
}

void WindowAccounting::GraphStandsStill() {
  const cash::Sum fetch_clock = std::max(fetch_clock_, view_.peers().Total().fetch_clock);
  if (fetch_clock > origin()) origin_ = view_.clock();
}

// --- Between nodes.

absl::Status WindowAccounting::Check(const TransferBatch& batch) const {
  const auto debt = [](cash::Amount amount) { return amount < cash::Amount(); };
  if (batch.method != importance::Method::kWindow || debt(batch.to_virtual_page) ||
      std::any_of(batch.transfers.begin(), batch.transfers.end(),
                  [&](const Transfer& transfer) { return debt(transfer.amount); })) {
    return absl::FailedPreconditionError("carries a negative amount, which windows never pay");
  }
  if (view_.books().Due() + batch.Carried() > cash::kHoldingMax.units()) {
    return absl::FailedPreconditionError("brings more than there can be");
  }
  return absl::OkStatus();
}

// Rounding may have drawn on what was reserved.
cash::Amount WindowAccounting::OwedTo(NodeId peer) const {
  const uint64_t payable = VirtualPage::Payable(view_.books(), cash::Amount());
  return std::min(shares_.owed(peer), cash::Amount(static_cast<int64_t>(payable)));
}

void WindowAccounting::ShareVirtualPage() {
  shares_.ReleaseHalf();
  ShareEarnings(view_.books().table().totals().pages);
}

void WindowAccounting::ShareEarnings(uint64_t own_pages) {
  if (view_.peers().none()) return;
  std::vector<uint64_t> pages;
  for (uint16_t n = 0; n < nodes_; ++n) {
    const bool own = NodeId{n} == charter_.node;
    pages.push_back(own ? own_pages : view_.peers().working(NodeId{n}).sums.pages);
  }
  shares_.Share(pages);
}

void WindowAccounting::AddTo(NodeSums& sums) const {
  sums.fetch_clock = fetch_clock_;
  sums.origin = origin_;
}

// --- What lasts over restarts.

void WindowAccounting::AddTo(Balances& balances) const {
  balances.fetch_clock = fetch_clock_;
  balances.origin = origin_;
  balances.newcomer_importance = newcomers_.mean();
}

void WindowAccounting::Recovered(const Balances& balances) {
  fetch_clock_ = balances.fetch_clock;
  origin_ = balances.origin;
  newcomers_ = importance::Newcomers(balances.newcomer_importance);
  shares_.Opened(balances.virtual_page);
}

// --- The ranking.

double WindowAccounting::Estimate(const importance::History& history, cash::Amount cash) const {
  return window_.Estimate(history, cash, view_.clock(), view_.table(), origin());
}

Accounting::Estimator WindowAccounting::EstimatorOfNow() const {
  return [window = window_, clock = view_.clock(), table = view_.table(), origin = origin()](
             const PageRow& name, const importance::History* visited, cash::Amount cash) {
    if (visited != nullptr) return window.Estimate(*visited, cash, clock, table, origin);
    return window.Estimate(window.Discovered(name.stamp, name.prior, origin), cash, clock, table,
                           origin);
  };
}

double WindowAccounting::ErrorBound() const {
  const double clock =
      static_cast<double>(view_.clock()) / static_cast<double>(charter_.supply.units());
  return clock > 0 ? 1 / std::min(clock, charter_.window.supplies) : 1;
}

// Behind a limit pages stay unread and pay nothing on: settling would end with all cash on them,
// and the clock would stand still before it has grown by T.
bool WindowAccounting::Converged(double) const {
  return view_.unread() > 0 || view_.clock() >= settled_since() + charter_.window.T();
}

double WindowAccounting::Settled(double) const {
  const auto grown = static_cast<double>(view_.clock() - settled_since());
  return std::clamp(grown / static_cast<double>(charter_.window.T()), 0.0, 1.0);
}

}  // namespace opic::ledger
