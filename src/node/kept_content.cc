#include "node/kept_content.h"

#include <optional>
#include <string>

#include "base/status_macros.h"
#include "desk/duplicate.h"

namespace opic::node {

absl::StatusOr<bool> HasContent(PageId page, uint64_t hash, const ledger::Ledger& ledger,
                                store::Store& store) {
  if (!ledger.moves().Workable(page.shard())) return false;
  return HasContentOnDisk(page, hash, ledger, store);
}

absl::StatusOr<bool> HasContentOnDisk(PageId page, uint64_t hash, const ledger::Ledger& ledger,
                                      store::Store& store) {
  if (!ledger.books().table().Find(page)) return false;
  ASSIGN_OR_RETURN(const std::optional<std::string> kept,
                   store.Get(store::Table::kHistory, ledger::KeyOf(page)));
  if (!kept) return false;
  ASSIGN_OR_RETURN(const ledger::HistoryRow row,
                   ledger::ReadHistoryRow(page, *kept, ledger.window()));
  return row.content_hash == hash && desk::MayBeFirst(row);
}

}  // namespace opic::node
