// Shards of a table as they were at a moment, to be saved while the table goes on.
//
// Thread safety: confined to one thread at a time; shares nothing with the table.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "page_table/block_copies.h"
#include "page_table/shard.h"
#include "page_table/totals.h"

namespace opic::page_table {

class PageTable;

class ShardCopies {
 public:
  ~ShardCopies();
  ShardCopies(const ShardCopies&) = delete;
  ShardCopies& operator=(const ShardCopies&) = delete;

  absl::Span<const ShardId> shards() const { return shards_; }
  // The checkpoint of shards()[index], as PageTable::Save.
  void Save(size_t index, absl::FunctionRef<void(std::string_view)> write) const;

 private:
  friend class PageTable;
  ShardCopies();

  struct Copy {
    ShardTotals totals;
    std::unique_ptr<const Shard> pages;  // null: none
  };
  const std::unique_ptr<Arena> arena_;         // of the copies
  const std::unique_ptr<BlockCopies> blocks_;  // all are copied before it leaves the table
  std::vector<ShardId> shards_;
  std::vector<Copy> copies_;
};

}  // namespace opic::page_table
