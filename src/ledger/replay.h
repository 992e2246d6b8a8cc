// A journal record is applied once more, to the shards whose checkpoints do not hold it.
//
// Thread safety: confined to the owner thread.
#pragma once

#include "absl/status/status.h"
#include "ledger/books.h"
#include "ledger/checkpoint_backlog.h"
#include "ledger/journal.h"

namespace opic::ledger {

class Replay {
 public:
  // All must outlive it.
  Replay(uint32_t shards, Books& books, const CheckpointBacklog& backlog)
      : shards_(shards), books_(books), backlog_(backlog) {}

  // The records one after the other. DataLoss: it does not fit what was there before, or the
  // shards' sums are not those that it tells.
  absl::Status Apply(uint64_t log_number, const JournalRecord& record);

 private:
  absl::Status ReplayMoves(uint64_t log_number, const JournalRecord& record);
  absl::Status ReplayVisits(uint64_t log_number, const JournalRecord& record);

  const uint32_t shards_;
  Books& books_;
  const CheckpointBacklog& backlog_;
};

}  // namespace opic::ledger
