// A walk through the names of pages, a slice at a time, away from the ledger's thread.
//
// It reads rows of Table::kPage alone. Each slice is of its own moment: a page that becomes known
// meanwhile may be passed by. So nothing in the store is kept for it between two slices.
//
// Thread safety: confined to one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "ledger/rows.h"
#include "store/store.h"

namespace opic::node {

class NameWalk {
 public:
  // Through the pages of these shards, ascending; none: of all. `store` must outlive the walk.
  explicit NameWalk(store::Store& store, std::vector<ShardId> shards = {});

  // Calls `take` for the next rows, `rows_max` at most, until it says false. True: there are no
  // more.
  absl::StatusOr<bool> Read(size_t rows_max, absl::FunctionRef<bool(PageId, ledger::PageRow)> take);

 private:
  store::Store& store_;
  std::vector<ShardId> shards_;  // still to be read, the last one first; none: there is no bound
  std::string next_key_;
  bool finished_ = false;
};

}  // namespace opic::node
