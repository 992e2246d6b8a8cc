#include "node/reopening.h"

#include "base/status_macros.h"

namespace opic::node {
namespace {

constexpr size_t kRowsPerStep = 4'000;

}  // namespace

absl::StatusOr<bool> Reopening::Step() {
  std::vector<PageId> pages;
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kHistory, next_key_);
  for (size_t seen = 0; rows->Valid() && seen < kRowsPerStep; rows->Next(), ++seen) {
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    const std::optional<page_table::Page> known = ledger_.table().Find(page);
    if (!known || !known->done) continue;
    ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                     ledger::ReadHistoryRow(page, rows->value(), ledger_.window()));
    ASSIGN_OR_RETURN(const bool wanted, which_(page, row));
    if (wanted) pages.push_back(page);
  }
  RETURN_IF_ERROR(rows->status());
  const bool finished = !rows->Valid();
  if (!finished) next_key_ = std::string(rows->key());
  ledger_.Reopen(pages);
  return finished;
}

}  // namespace opic::node
