#include "ledger/equation.h"

#include <algorithm>

#include "base/status_macros.h"

namespace opic::ledger {

absl::Status Equation::Add(const Ledger& ledger, store::Store& store) {
  page_table::Cursor cursor;
  bool whole = false;
  while (!whole) {
    whole = ledger.books().table().Walk(cursor, 1 << 16, [&](const page_table::Page& page) {
      Sides& sides = known_[page.page];
      const cash::Sum held = page.cash.value().units();
      sides.off += held - charter_.base.units();
      if (!page.done) unread_ += held;
      sides.added = true;
      ++pages_;
    });
  }
  for (const auto& [page, amount] : ledger.held().All()) known_[page].off += amount.units();
  const std::unique_ptr<store::Cursor> rows = store.Scan(store::Table::kHistory, "");
  for (; rows->Valid(); rows->Next()) {
    ASSIGN_OR_RETURN(const PageId page, PageOfKey(rows->key()));
    ASSIGN_OR_RETURN(const HistoryRow row, ReadHistoryRow(page, rows->value(), ledger.window()));
    Sides& sides = known_[page];
    if (!sides.added) return LacksCell(page);
    sides.off += row.history.sum;
    const cash::Amount each =
        importance::PaidToEach(row.history.sum, row.links.size(), charter_.epsilon);
    for (PageId link : row.links) known_[link].off -= each.units();
    links_ += row.links.size();
    history_ += row.history.sum;
    kept_ += ledger.accounting().KeptOf(row);
  }
  return rows->status();
}

std::vector<Drift> Equation::Drifts() const {
  std::vector<Drift> drifts;
  for (const auto& [page, sides] : known_) {
    if (sides.off != 0) drifts.push_back({page, sides.off});
  }
  std::sort(drifts.begin(), drifts.end(),
            [](const Drift& a, const Drift& b) { return a.page < b.page; });
  return drifts;
}

}  // namespace opic::ledger
