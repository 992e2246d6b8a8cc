#include "ledger/checkpoint_round.h"

#include <pthread.h>

#include <chrono>
#include <system_error>
#include <utility>

namespace opic::ledger {
namespace {

using Copies = std::shared_ptr<const page_table::ShardCopies>;

std::future<absl::Status> Begin(std::launch launch, const Checkpoints& checkpoints, Copies copies,
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

CheckpointRound::CheckpointRound(const Checkpoints& checkpoints,
                                 std::unique_ptr<const page_table::ShardCopies> copies,
                                 uint64_t position, SaveCheckpoints how)
    : shards_(copies->shards().begin(), copies->shards().end()), position_(position) {
  const Copies shared = std::move(copies);
  if (how == SaveCheckpoints::kBeside) {
    try {
      written_ = Begin(std::launch::async, checkpoints, shared, position);
    } catch (const std::system_error&) {  // the limit of threads is reached
    }
  }
  if (!written_.valid()) {
    written_ = Begin(std::launch::deferred, checkpoints, shared, position);
  }
}

bool CheckpointRound::Ready(uint64_t log_number) const {
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

}  // namespace opic::ledger
