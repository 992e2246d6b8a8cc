#include "node/page_rows.h"

#include "base/encoding.h"
#include "base/status_macros.h"

namespace opic::node {

PageRows::PageRows(store::Store& store, const importance::Window& window,
                   std::optional<PageId> after)
    : window_(window) {
  const std::string from = after ? base::Big64(after->word() + 1) : std::string();
  names_ = store.Scan(store::Table::kPage, from);
  visits_ = store.Scan(store::Table::kHistory, from);
}

absl::StatusOr<bool> PageRows::Next(Row& row) {
  if (!names_->Valid()) {
    RETURN_IF_ERROR(names_->status());
    return false;
  }
  ASSIGN_OR_RETURN(row.page, ledger::PageOfKey(names_->key()));
  ASSIGN_OR_RETURN(row.name, ledger::ReadPageRow(row.page, names_->value()));
  row.visited.reset();
  while (visits_->Valid() && visits_->key() < names_->key()) visits_->Next();
  RETURN_IF_ERROR(visits_->status());
  if (visits_->Valid() && visits_->key() == names_->key()) {
    ASSIGN_OR_RETURN(row.visited, ledger::ReadHistoryRow(row.page, visits_->value(), window_));
  }
  names_->Next();
  return true;
}

}  // namespace opic::node
