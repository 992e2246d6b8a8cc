// One file of checkpoints: those of some shards, one behind the other, and behind them where each
// of them is (docs/formats/journal.md). Releases before had a file for each shard, which is read as
// one with a single checkpoint.
//
// Thread safety: pure, but for the files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ids.h"
#include "page_table/page_table.h"

namespace opic::ledger {

inline constexpr std::string_view kCheckpointSuffix = ".ckpt";

struct CheckpointPlace {
  ShardId shard;
  uint64_t position = 0;          // the last log number whose effects are in it
  uint64_t begin = 0, bytes = 0;  // in its file

  friend bool operator==(const CheckpointPlace&, const CheckpointPlace&) = default;
};

// The number in a file's name; nothing: it is not named so.
std::optional<uint64_t> NumberOf(std::string_view name);
// What a checkpoint begins with; PageTable::Save writes what follows.
std::string CheckpointHeader(uint64_t cluster_id, ShardId shard, uint64_t position);
// What a file ends with.
std::string EncodePlaces(const std::vector<CheckpointPlace>& places);
// Where the checkpoints of a file are, of each shard at most one. DataLoss: it does not say so, is
// cut, or has a name that no file of checkpoints has.
absl::StatusOr<std::vector<CheckpointPlace>> ReadPlaces(const std::string& path);
// Loads one of them into its shard of `table`, which has no pages. DataLoss: it is damaged;
// FailedPrecondition: it belongs to another cluster.
absl::Status LoadCheckpoint(const std::string& path, const CheckpointPlace& place,
                            uint64_t cluster_id, page_table::PageTable& table);

}  // namespace opic::ledger
