// What is noted in Table::kMeta when the journal is trimmed, in the same write: where the journal
// begins now, and what the next recovery must therefore find in the checkpoints. A checkpoint file
// that got lost or was replaced by an older one is noticed by it (docs/formats/store.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/ids.h"

namespace opic::ledger {

inline constexpr char kTrimNoteKey[] = "trim";

struct TrimNote {
  uint64_t journal_begin = 1;  // the first log number kept
  // Shards that have a checkpoint, and a position that it had reached.
  std::vector<std::pair<ShardId, uint64_t>> positions;
};

std::string Encode(const TrimNote& note);
// DataLoss: not a whole note, or one with a shard that is not below `shards`.
absl::StatusOr<TrimNote> DecodeTrimNote(std::string_view bytes, uint32_t shards);

}  // namespace opic::ledger
