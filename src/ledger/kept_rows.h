// Rows of the pages that were visited last, so that the next visit reads nothing from the store: a
// page is settled the more often the more cash it gets. They are a copy of what Table::kHistory
// has.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstddef>
#include <list>

#include "absl/container/flat_hash_map.h"
#include "base/ids.h"
#include "ledger/rows.h"

namespace opic::ledger {

class KeptRows {
 public:
  // 0 bytes: none are kept.
  explicit KeptRows(size_t bytes_max) : bytes_max_(bytes_max) {}

  struct Row {
    PageId page;
    HistoryRow row = {};
    size_t bytes = 0;  // as it was counted when it was kept
  };
  // A row on its way, or none. It is neither copied nor moved in memory by being taken and kept.
  using Handle = std::list<Row>;
  static Handle NewRow(PageId page);

  // The row, which is not kept any longer; none: it was not.
  Handle Take(PageId page);
  // REQUIRES: there is one, and the store has this very row. Those that were kept longest make room
  // for it.
  void Keep(Handle row);
  void Forget();  // all of them

  size_t size() const { return rows_.size(); }
  size_t bytes() const { return bytes_; }  // some 5 % more with what the allocator takes

 private:
  void Drop(Handle::iterator row);

  const size_t bytes_max_;
  size_t bytes_ = 0;
  Handle rows_;  // the latest first
  absl::flat_hash_map<PageId, Handle::iterator> by_page_;
};

}  // namespace opic::ledger
