// Checkpoints: the cells of each shard in flat files, with the journal position that they hold
// (docs/design.md section 5, docs/formats/journal.md). Those that are written together share a
// file, because a sync costs as much as some megabytes. A file is published by a rename, so that a
// crash leaves the files of before, or one more. Of a shard the checkpoint with the highest
// position counts; a file in which none counts any more is removed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "ledger/checkpoint_file.h"
#include "page_table/page_table.h"

namespace opic::ledger {

struct CheckpointInfo {
  ShardId shard;
  uint64_t position = 0;  // the last log number whose effects are in it
};

// One folder of checkpoint files.
//
// Thread safety: one call at a time, on any thread.
class Checkpoints {
 public:
  Checkpoints(std::string folder, uint64_t cluster_id)
      : folder_(std::move(folder)), cluster_id_(cluster_id) {}

  // Loads what counts of every file into `table`; what was loaded, a shard once. DataLoss: a file
  // that does not say what is in it, or a damaged checkpoint that counts; FailedPrecondition: one
  // of another cluster.
  absl::StatusOr<std::vector<CheckpointInfo>> LoadAll(page_table::PageTable& table);
  // Makes the folder when it is absent, and removes what was never published. REQUIRES: what is
  // there was loaded.
  absl::Status BeginWriting();
  // R4: REQUIRES BeginWriting(), that `position` is synced in the journal, and that `shards`
  // differ. Writes one file; `save` appends the pages of shards[index] as PageTable::Save does.
  using Append = absl::FunctionRef<void(std::string_view)>;
  absl::Status Write(absl::Span<const ShardId> shards, uint64_t position,
                     absl::FunctionRef<void(size_t index, Append)> save);
  // Shards that are to be written once more with the next ones, whether they have changed or not:
  // for their sake files are kept of which most counts no more. They have 4 MB at most; none unless
  // all files together have half as much again as counts of them.
  std::vector<ShardId> KeepingFiles() const;
  bool any() const;  // whether there is a file at all

 private:
  struct Latest {
    std::string file;
    uint64_t position = 0;
  };
  struct File {
    std::vector<CheckpointPlace> places;
    uint64_t bytes = 0;
  };

  std::string PathOf(const std::string& name) const { return folder_ + "/" + name; }
  // Of all files that end so, in order.
  absl::StatusOr<std::vector<std::string>> Names(std::string_view suffix) const;
  void Take(const std::string& name, std::vector<CheckpointPlace> places);
  bool Counts(const std::string& name, ShardId shard) const;
  void RemoveUseless();

  std::string folder_;
  uint64_t cluster_id_;
  std::map<std::string, File> files_;  // by name
  std::map<ShardId, Latest> latest_;   // where the checkpoint is that counts
  uint64_t next_number_ = 1;           // of a file's name
};

}  // namespace opic::ledger
