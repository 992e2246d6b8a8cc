// Checkpoints: the cells of one shard in one flat file, with the journal position that they hold
// (docs/design.md section 5, docs/formats/journal.md). A file replaces its predecessor by a rename,
// so that a crash leaves the old or the new.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "page_table/page_table.h"

namespace opic::ledger {

struct CheckpointInfo {
  ShardId shard;
  uint64_t position = 0;  // the last log number whose effects are in it
  uint64_t bytes = 0;
};

// One folder of checkpoint files.
//
// Thread safety: confined to the owner thread.
class Checkpoints {
 public:
  // The folder is made when `create` and absent.
  static absl::StatusOr<Checkpoints> Open(const std::string& folder, uint64_t cluster_id,
                                          bool create);

  // R4: REQUIRES that `position` is synced in the journal. Writes 64 files at a time: a sync costs
  // as much as some megabytes. `save` appends the pages of shards[index] as PageTable::Save does. May
  // be called on any thread.
  using Append = absl::FunctionRef<void(std::string_view)>;
  absl::Status Write(absl::Span<const ShardId> shards, uint64_t position,
                     absl::FunctionRef<void(size_t index, Append)> save) const;
  // Loads every file into `table`; what was loaded, by shard. DataLoss: a damaged file;
  // FailedPrecondition: a file of another cluster.
  absl::StatusOr<std::vector<CheckpointInfo>> LoadAll(page_table::PageTable& table) const;
  bool any() const;  // whether there is a file at all

 private:
  Checkpoints(std::string folder, uint64_t cluster_id)
      : folder_(std::move(folder)), cluster_id_(cluster_id) {}
  std::string PathOf(ShardId shard) const;
  absl::StatusOr<CheckpointInfo> Load(const std::string& path, page_table::PageTable& table) const;

  std::string folder_;
  uint64_t cluster_id_;
};

}  // namespace opic::ledger
