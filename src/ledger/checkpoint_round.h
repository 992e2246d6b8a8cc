// Checkpoints of some shards that are written together, of copies, while the ledger goes on.
//
// Thread safety: confined to the owner thread. The thread that writes shares nothing with it but
// what ends in End().
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "ledger/checkpoint.h"
#include "ledger/options.h"
#include "page_table/shard_copies.h"

namespace opic::ledger {

class CheckpointRound {
 public:
  // Of copies that were made when the journal ended with `position`, which is synced. `checkpoints`
  // must outlive it. kBeside begins to write at once; where there is no thread to be had it is as
  // kLater, which writes in End().
  CheckpointRound(const Checkpoints& checkpoints,
                  std::unique_ptr<const page_table::ShardCopies> copies, uint64_t position,
                  SaveCheckpoints how);
  // Waits for the thread. What kLater has not written by then never will be.
  ~CheckpointRound() = default;

  absl::Span<const ShardId> shards() const { return shards_; }
  uint64_t position() const { return position_; }
  // Whether End() does not wait; of kLater, whether the journal has two more records.
  bool Ready(uint64_t log_number) const;
  // What has become of it. REQUIRES: called once.
  absl::Status End() { return written_.get(); }

 private:
  const std::vector<ShardId> shards_;
  const uint64_t position_;
  std::future<absl::Status> written_;
};

}  // namespace opic::ledger
