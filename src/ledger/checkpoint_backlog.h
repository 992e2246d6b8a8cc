// What the checkpoints lack: the shards that the journal has changed since theirs, which of them is
// to be written next, and where the journal must begin for a recovery.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ledger/journal.h"
#include "ledger/trim_note.h"
#include "page_table/page_table.h"

namespace opic::ledger {

class CheckpointBacklog {
 public:
  struct Limits {
    uint64_t shard_bytes_min;  // of journal, below which a shard is not written
    uint64_t journal_bytes_max;
    size_t shards_together = 64;  // open files
  };
  CheckpointBacklog(uint32_t shards, Limits limits) : shards_(shards), limits_(limits) {}

  // The shard has a checkpoint that holds all records up to `position`.
  void Saved(ShardId shard, uint64_t position) { shards_[shard.value] = {.position = position}; }
  // The last log number in the shard's checkpoint; 0: there is none.
  uint64_t position(ShardId shard) const { return shards_[shard.value].position; }
  // A record of `bytes` changed these shards, unless their checkpoints hold it.
  void Changed(uint64_t log_number, uint64_t bytes, const Balances& after);

  // Whether a checkpoint should be written now: the journal is longer than journal_bytes_max and a
  // quarter of the table, or a shard's own part of it longer than shard_bytes_min and a tenth of
  // the shard.
  bool Due(const page_table::PageTable& table) const;
  // The shards to be written next, together: those with a long part of the journal, then those that
  // lack something for longest. Few enough for a pause that nobody feels; none when nothing lacks.
  std::vector<ShardId> Next(const page_table::PageTable& table) const;

  // The trimming that is possible when the journal ends with `log_number`. The last record is kept,
  // for its balances.
  TrimNote Trim(uint64_t log_number) const;

 private:
  bool IsLong(const page_table::PageTable& table, ShardId id) const;

  struct Shard {
    uint64_t position = 0;
    uint64_t first_unsaved = 0;  // the first log number after `position` that changed it; 0: none
    uint64_t since = 0;          // journal_bytes_ then
    uint64_t own_bytes = 0;      // its part of the records since
  };
  std::vector<Shard> shards_;
  Limits limits_;
  uint64_t journal_bytes_ = 0;  // of all records seen
};

}  // namespace opic::ledger
