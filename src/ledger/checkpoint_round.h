// Checkpoints of some shards that are written together, of copies, while the ledger goes on: first
// the ledger's turns copy the shards, some megabytes each, then a thread writes them.
//
// Thread safety: confined to the owner thread. The thread that writes shares nothing with it but
// what ends in End().
#pragma once

#include <cstdint>
#include <future>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "ledger/checkpoint.h"
#include "ledger/options.h"
#include "page_table/page_table.h"

namespace opic::ledger {

class CheckpointRound {
 public:
  // Of the shards as they are now, when the journal ends with `position`, which is synced.
  // `checkpoints` and `table`, of which no copies are under way, must outlive it.
  CheckpointRound(Checkpoints& checkpoints, page_table::PageTable& table,
                  std::vector<ShardId> shards, uint64_t position, SaveCheckpoints how);
  // Waits for the thread. What was not copied by then, or what kLater has not written, never will
  // be written.
  ~CheckpointRound() = default;

  absl::Span<const ShardId> shards() const { return shards_; }
  uint64_t position() const { return position_; }
  // Copies `bytes_max` more. When all is copied kBeside begins to write; where there is no thread
  // to be had it is as kLater, which writes in End().
  void Copy(uint64_t bytes_max);
  // Whether End() has nothing to copy, and does not wait; of kLater, whether the journal has two
  // more records.
  bool Ready(uint64_t log_number) const;
  // Copies and writes what is left. What has become of it. REQUIRES: called once.
  absl::Status End();

 private:
  Checkpoints& checkpoints_;
  page_table::PageTable& table_;
  const std::vector<ShardId> shards_;
  const uint64_t position_;
  const SaveCheckpoints how_;
  std::future<absl::Status> written_;  // invalid: not all is copied
};

}  // namespace opic::ledger
