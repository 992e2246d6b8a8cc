// The cash of all pages at one moment, in a file without a name, for a reader who comes to them in
// the order of their words while the ledger goes on.
//
// Memory: a megabyte and one shard's cells.
//
// Thread safety: confined to one thread at a time.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/spool_file.h"
#include "page_table/page_table.h"

namespace opic::node {

class CellCopy {
 public:
  // Copies all cells: 12 bytes a page. Some 50 ms a million pages. `folder`: where the file lies.
  static absl::StatusOr<CellCopy> Of(const page_table::PageTable& table, const std::string& folder);

  // Nothing: the page was not known. Reads a shard's cells when it comes to the first of its pages.
  absl::StatusOr<std::optional<cash::Amount>> Find(PageId page);

 private:
  explicit CellCopy(base::SpoolFile file) : file_(std::move(file)) {}
  absl::Status Load(ShardId shard);

  base::SpoolFile file_;
  std::vector<uint64_t> begins_;  // of shards, in pages; one more than there are shards
  std::optional<ShardId> loaded_;
  std::vector<std::pair<uint64_t, uint32_t>> cells_;  // of that shard, words and cells, ascending
};

}  // namespace opic::node
