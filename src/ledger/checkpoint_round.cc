#include "ledger/checkpoint_round.h"

#include <pthread.h>

#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "page_table/shard_copies.h"

namespace opic::ledger {
namespace {

using Copies = std::shared_ptr<const page_table::ShardCopies>;

std::future<absl::Status> Begin(std::launch launch, Checkpoints& checkpoints, Copies copies,
                                uint64_t position) {
  return std::async(launch, [launch, &checkpoints, copies = std::move(copies), position]() mutable {
    if (launch == std::launch::async) pthread_setname_np(pthread_self(), "opic-checkpoint");
    absl::Status written =
        checkpoints.Write(copies->shards(), position,
                          [&](size_t i, Checkpoints::Append append) { copies->Save(i, append); });
    copies.reset();  // here, and not when somebody asks for the result
    return written;
  });
}

}  // namespace

CheckpointRound::CheckpointRound(Checkpoints& checkpoints, page_table::PageTable& table,
                                 std::vector<ShardId> shards, uint64_t position,
                                 SaveCheckpoints how)
    : checkpoints_(checkpoints),
      table_(table),
      shards_(std::move(shards)),
      position_(position),
      how_(how) {
  table_.BeginCopy(shards_);
}

void CheckpointRound::Copy(uint64_t bytes_max) {
  if (written_.valid()) return;
  const Copies copies = table_.CopySome(bytes_max);
  if (copies == nullptr) return;
  if (how_ == SaveCheckpoints::kBeside) {
    try {
      written_ = Begin(std::launch::async, checkpoints_, copies, position_);
    } catch (const std::system_error&) {  // the limit of threads is reached
    }
  }
  if (!written_.valid()) {
    written_ = Begin(std::launch::deferred, checkpoints_, copies, position_);
  }
}

bool CheckpointRound::Ready(uint64_t log_number) const {
  if (!written_.valid()) return false;
  switch (written_.wait_for(std::chrono::seconds(0))) {
    case std::future_status::ready:
      return true;
    case std::future_status::timeout:
      return false;
    case std::future_status::deferred:
      break;
  }
  return log_number >= position_ + 2;
}

absl::Status CheckpointRound::End() {
  Copy(~uint64_t{0});
  return written_.get();
}

}  // namespace opic::ledger
