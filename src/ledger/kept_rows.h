// Rows of the pages that were visited last, so that the next visit reads nothing from the store: a
// page is settled the more often the more cash it gets. They are a copy of what Table::kHistory
// has.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstddef>
#include <list>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/ids.h"
#include "ledger/rows.h"

namespace opic::ledger {

class KeptRows {
 public:
  // 0 bytes: none are kept.
  explicit KeptRows(size_t bytes_max) : bytes_max_(bytes_max) {}

  // The row, which is not kept any longer; nothing: it was not.
  std::optional<HistoryRow> Take(PageId page);
  // REQUIRES: the store has this very row. Those that were kept longest make room for it.
  void Keep(PageId page, HistoryRow row);
  void Forget();  // all of them

  size_t size() const { return rows_.size(); }
  size_t bytes() const { return bytes_; }  // some 5 % more with what the allocator takes

 private:
  struct Entry {
    PageId page;
    HistoryRow row;
    size_t bytes;
  };

  void Drop(std::list<Entry>::iterator entry);

  const size_t bytes_max_;
  size_t bytes_ = 0;
  std::list<Entry> rows_;  // the latest first
  absl::flat_hash_map<PageId, std::list<Entry>::iterator> by_page_;
};

}  // namespace opic::ledger
