#include "node/name_walk.h"

#include <algorithm>

#include "base/status_macros.h"

namespace opic::node {

NameWalk::NameWalk(store::Store& store, std::vector<ShardId> shards)
    : store_(store), shards_(std::move(shards)) {
  std::reverse(shards_.begin(), shards_.end());
  if (!shards_.empty()) next_key_ = ledger::KeyOf(PageId(shards_.back(), 0));
}

absl::StatusOr<bool> NameWalk::Read(size_t rows_max,
                                    absl::FunctionRef<bool(PageId, ledger::PageRow)> take) {
  if (finished_) return true;
  const std::unique_ptr<store::Cursor> rows = store_.Scan(store::Table::kPage, next_key_);
  bool go_on = true;
  for (size_t read = 0; rows->Valid(); rows->Next(), ++read) {
    ASSIGN_OR_RETURN(const PageId page, ledger::PageOfKey(rows->key()));
    if (!shards_.empty() && page.shard() != shards_.back()) break;
    if (!go_on || read == rows_max) {
      next_key_ = std::string(rows->key());
      return false;
    }
    ASSIGN_OR_RETURN(ledger::PageRow row, ledger::ReadPageRow(page, rows->value()));
    go_on = take(page, std::move(row));
  }
  RETURN_IF_ERROR(rows->status());
  if (!shards_.empty()) shards_.pop_back();
  finished_ = shards_.empty();
  if (!finished_) next_key_ = ledger::KeyOf(PageId(shards_.back(), 0));
  return finished_;
}

}  // namespace opic::node
