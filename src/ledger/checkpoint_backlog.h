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
    size_t shards_together = 1024;
  };
  CheckpointBacklog(uint32_t shards, Limits limits) : shards_(shards), limits_(limits) {}

  // A checkpoint is begun that holds all records of the shard until now.
  void Saving(ShardId shard);
  // That checkpoint, or one that was found, is on disk and holds all records up to `position`.
  void Saved(ShardId shard, uint64_t position);
  // The last log number in the shard's checkpoint; 0: there is none.
  uint64_t position(ShardId shard) const { return shards_[shard.value].position; }
  // A record of `bytes` changed these shards, unless their checkpoints hold it.
  void Changed(uint64_t log_number, uint64_t bytes, const Balances& after);

  // Whether a checkpoint should be written now: the journal is longer than journal_bytes_max and a
  // quarter of the table, or a shard's own part of it longer than shard_bytes_min and a tenth of
  // the shard.
  bool Due(const page_table::PageTable& table) const;
  // The journal has twice that length, with what the checkpoints under way will let go.
  bool FarBehind(const page_table::PageTable& table) const;
  // The shards to be written next, together: those for which the journal is too long, those with a
  // long part of it, then those that lack something for longest. Few enough to be copied in a pause
  // that nobody feels; none when nothing lacks.
  std::vector<ShardId> Next(const page_table::PageTable& table) const;

  // The trimming that is possible when the journal ends with `log_number`. The last record is kept,
  // for its balances.
  TrimNote Trim(uint64_t log_number) const;

 private:
  bool IsLong(const page_table::PageTable& table, ShardId id) const;
  // A shard that changes seldom must not keep the journal from being trimmed for ever.
  bool IsOverdue(const page_table::PageTable& table, ShardId id) const;
  uint64_t Allowed(const page_table::PageTable& table) const;

  struct Shard {
    uint64_t position = 0;
    // The first log number that changed it after `position`, or after a checkpoint under way was
    // begun; 0: none.
    uint64_t first_unsaved = 0;
    uint64_t since = 0;      // journal_bytes_ then
    uint64_t own_bytes = 0;  // its part of the records since
    // first_unsaved, and since, before the checkpoint under way was begun; 0: none.
    uint64_t saving = 0, saving_since = 0;
  };
  std::vector<Shard> shards_;
  Limits limits_;
  uint64_t journal_bytes_ = 0;  // of all records seen
};

}  // namespace opic::ledger
