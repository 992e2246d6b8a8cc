#include "ledger/push_accounting.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace opic::ledger {

using importance::PaidToEach;

namespace {

// Appends what each link of a visit is paid: of those in `now` each has been paid `paid_now` since
// the page's birth when the visit ends, of those in `before` each `paid_before` when it began. What
// all of them get.
cash::Amount PayDifferences(absl::Span<const PageId> before, cash::Amount paid_before,
                            absl::Span<const PageId> now, cash::Amount paid_now,
                            std::vector<page_table::Credit>& credits) {
  cash::Amount all;
  const auto pay = [&](PageId link, cash::Amount amount) {
    if (amount.units() == 0) return;
    credits.push_back({link, amount});
    all += amount;
  };
  const cash::Amount none;
  size_t b = 0, n = 0;
  while (b < before.size() || n < now.size()) {
    OPIC_CHECK(n + 1 >= now.size() || now[n] < now[n + 1]) << "links that do not ascend";
    const bool gone = n == now.size() || (b < before.size() && before[b] < now[n]);
    const bool kept = !gone && b < before.size() && before[b] == now[n];
    if (gone) {
      pay(before[b++], none - paid_before);
    } else if (kept) {
      pay(now[n++], paid_now - paid_before), ++b;
    } else {
      pay(now[n++], paid_now);
    }
  }
  return all;
}

}  // namespace

// The correction of a page read with other links is part of its visit: one record, one write.
cash::Amount PushAccounting::Visit(HistoryRow& row, absl::Span<const PageId> before,
                                   cash::Amount taken, std::vector<page_table::Credit>& credits) {
  relaxation_.DoesMore();
  return Pay(row, before, taken, credits);
}

// A page without links pays the virtual page alone, which pays nobody. What a plan makes pages pay
// says nothing about the relaxation.
Accounting::Payment PushAccounting::Settle(HistoryRow& row, cash::Amount taken,
                                           std::optional<cash::Amount> planned,
                                           std::vector<page_table::Credit>& credits) {
  if (planned) relaxation_.DoesMore();
  const cash::Amount beyond =
      planned ? *planned - taken : relaxation_.Beyond(taken, !row.links.empty());
  const cash::Amount kept = Pay(row, row.links, taken + beyond, credits);
  return {.kept = kept, .beyond = beyond};
}

cash::Amount PushAccounting::Pay(HistoryRow& row, absl::Span<const PageId> before,
                                 cash::Amount recorded, std::vector<page_table::Credit>& credits) {
  const cash::Sum history_before = row.history.sum;
  row.history.sum += recorded.units();
  const cash::Amount paid_before = PaidToEach(history_before, before.size(), charter_.epsilon);
  const cash::Amount paid_now = PaidToEach(row.history.sum, row.links.size(), charter_.epsilon);
  const cash::Amount paid = PayDifferences(before, paid_before, row.links, paid_now, credits);
  // What the links of a page were paid since its birth is the same for each (docs/algorithm.md).
  OPIC_CHECK(paid.units() ==
             cash::Sum{paid_now.units()} * static_cast<cash::Sum>(row.links.size()) -
                 cash::Sum{paid_before.units()} * static_cast<cash::Sum>(before.size()))
      << "a visit does not pay the difference to its links";
  history_ += recorded.units();
  kept_ += (recorded - paid).units();
  return recorded - paid;
}

// What peers brought to pages here had gone from theirs, and what went to peers is still there.
void PushAccounting::GroupEnds(const GroupSums& group) {
  const cash::Sum held = view_.books().table().totals().done_magnitude;
  relaxation_.GroupEnds(held, group.brought - group.away);
}

absl::Status PushAccounting::Check(const TransferBatch& batch) const {
  const auto too_much = [](cash::Amount amount) {
    return amount.magnitude() > cash::kHoldingMax.magnitude();
  };
  if (batch.method != importance::Method::kPush || batch.to_virtual_page.units() != 0 ||
      std::any_of(batch.transfers.begin(), batch.transfers.end(),
                  [&](const Transfer& transfer) { return too_much(transfer.amount); })) {
    return absl::FailedPreconditionError("carries a payment that ledger push never makes");
  }
  const cash::Sum after = view_.books().Due() + batch.Carried(), most = cash::kHoldingMax.units();
  const cash::Sum brought = batch.Magnitude();
  // All of it may be for pages that are not known yet, and lie on the virtual page until they are.
  const cash::Sum waiting = brought + view_.books().virtual_page().magnitude();
  if (brought > most || after > most || after < -most || waiting > 2 * most) {
    return absl::FailedPreconditionError("brings more than there can be");
  }
  return absl::OkStatus();
}

cash::Sum PushAccounting::KeptOf(const HistoryRow& row) const {
  const cash::Amount each = PaidToEach(row.history.sum, row.links.size(), charter_.epsilon);
  return row.history.sum - cash::Sum{each.units()} * static_cast<cash::Sum>(row.links.size());
}

void PushAccounting::Departed(const RowSums& rows) {
  relaxation_.DoesMore();
  history_ -= rows.history;
  kept_ -= rows.kept;
}

void PushAccounting::Arrived(const RowSums& rows) {
  relaxation_.DoesMore();
  history_ += rows.history;
  kept_ += rows.kept;
}

// R / n, what a read page would have if cash were spread over all pages evenly. What peers say may
// be more than a page can hold.
cash::Amount PushAccounting::EvenShare() const {
  const cash::Sum read = view_.books().table().totals().done_cash + view_.peers().Total().read_cash;
  const auto pages = static_cast<cash::Sum>(std::max(view_.pages(), uint64_t{1}));
  const cash::Sum most = cash::kHoldingMax.units();
  return cash::Amount(static_cast<int64_t>(std::clamp(read / pages, -most, most)));
}

// How far the cash of own read pages is from an even share, added up; no less. The table knows how
// far it is from a reference that may be a little old.
cash::Sum PushAccounting::Residual() const {
  const page_table::PageTable& table = view_.books().table();
  const page_table::Totals totals = table.totals();
  const cash::Amount even = EvenShare();
  const auto done = static_cast<cash::Sum>(totals.done);
  const cash::Sum from_zero =
      totals.done_magnitude + done * static_cast<cash::Sum>(even.magnitude());
  const cash::Sum from_reference =
      totals.done_deviation + done * static_cast<cash::Sum>((table.reference() - even).magnitude());
  return std::min(from_zero, from_reference);
}

std::optional<cash::Amount> PushAccounting::BetterReference() const {
  const page_table::PageTable& table = view_.books().table();
  const page_table::Totals totals = table.totals();
  const cash::Amount even = EvenShare();
  const auto off = static_cast<cash::Sum>((table.reference() - even).magnitude());
  // What a better one could gain is a good part of what there is.
  if (4 * off * static_cast<cash::Sum>(totals.done) < totals.done_deviation) return std::nullopt;
  return table.reference() == even ? std::nullopt : std::optional(even);
}

void PushAccounting::AddTotals(NodeSums& sums) const {
  const page_table::Totals totals = view_.books().table().totals();
  sums.method = importance::Method::kPush;
  sums.clock = 0;
  sums.history = history_;
  sums.read_cash = totals.done_cash;
  sums.residual = Residual() + view_.peers().magnitude_under_way();
  sums.reread = view_.books().reread();
  sums.unread_debt = totals.undone_debt;
}

void PushAccounting::AddTo(NodeSums& sums) const {
  AddTotals(sums);
  sums.rounded = Rounded();
}

cash::Sum PushAccounting::Rounded() const {
  const page_table::PageTable& table = view_.books().table();
  const double flow = static_cast<double>(history_ + table.totals().cash);
  return static_cast<cash::Sum>(table.roundings().Drift(table.totals().pages, flow));
}

void PushAccounting::AddTo(Balances& balances) const {
  balances.history = history_;
  balances.kept = kept_;
}

void PushAccounting::Recovered(const Balances& balances) {
  history_ = balances.history;
  kept_ = balances.kept;
}

importance::PushTotals PushAccounting::Totals() const {
  NodeSums own;
  AddTotals(own);
  const NodeSums peers = view_.peers().Total();
  importance::PushTotals totals;
  totals.pages = view_.pages();
  totals.unread_pages = view_.unread();
  totals.reread = own.reread + peers.reread;
  totals.history = own.history + peers.history;
  totals.read = own.read_cash + peers.read_cash;
  totals.unread = view_.table() - totals.read;
  totals.unread_debt = own.unread_debt.value_or(0) + peers.unread_debt.value_or(0);
  totals.residual = own.residual + peers.residual;
  return totals;
}

double PushAccounting::Estimate(const importance::History& history, cash::Amount cash) const {
  return importance::PushEstimate(history.sum, cash, Totals(), charter_.epsilon);
}

Accounting::Estimator PushAccounting::EstimatorOfNow() const {
  return [totals = Totals(), epsilon = charter_.epsilon](
             const PageRow&, const importance::History* visited, cash::Amount cash) {
    return importance::PushEstimate(visited != nullptr ? visited->sum : 0, cash, totals, epsilon);
  };
}

double PushAccounting::ErrorBound() const {
  return importance::PushErrorBound(Totals(), charter_.epsilon);
}

double PushAccounting::SettledError() const {
  return importance::PushSettledError(Totals(), charter_.epsilon);
}

double PushAccounting::RoundingError() const {
  importance::PushTotals totals = Totals();
  totals.rounded = Rounded() + view_.peers().Total().rounded;
  return importance::PushRoundingError(totals, charter_.epsilon);
}

// The bound falls by a factor with each visit a page, from 2.
double PushAccounting::Settled(double error) const {
  const double bound = SettledError();
  if (bound <= error) return 1;
  return std::clamp(std::log(2 / bound) / std::log(2 / error), 0.0, 1.0);
}

cash::Amount PushAccounting::SettleFloor(double error) const {
  return importance::PushFloor(Totals(), charter_.epsilon, error);
}

}  // namespace opic::ledger
