// A walk over the rows of all pages as they are at one moment: names and histories side by side.
//
// Both cursors show the store as it was when the walk began, so that a link and its page are both
// there: they were written at once.
//
// Thread safety: confined to one thread; the walk may begin on another one.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "ledger/rows.h"
#include "store/store.h"

namespace opic::node {

class PageRows {
 public:
  struct Row {
    PageId page;
    ledger::PageRow name;
    std::optional<ledger::HistoryRow> visited;  // none: never visited
  };

  // From the first page after `after` on, or from the beginning. REQUIRES: nothing is written to
  // the store in between, which is so on the ledger's thread.
  PageRows(store::Store& store, const importance::Window& window, std::optional<PageId> after);

  // False: there are no more.
  absl::StatusOr<bool> Next(Row& row);

 private:
  const importance::Window window_;
  std::unique_ptr<store::Cursor> names_, visits_;
};

}  // namespace opic::node
