#include "ledger/backlog.h"

#include <algorithm>

namespace opic::ledger {

void Backlog::Changed(uint64_t log_number, uint64_t bytes, const Balances& after) {
  for (const auto& [id, sum] : after.shards) {
    Shard& shard = shards_[id.value];
    if (shard.position >= log_number) continue;
    if (shard.first_unsaved == 0) shard.first_unsaved = log_number, shard.since = journal_bytes_;
    shard.own_bytes += bytes / after.shards.size();
  }
  journal_bytes_ += bytes;
}

std::optional<ShardId> Backlog::Due(const page_table::PageTable& table) const {
  std::optional<ShardId> longest, oldest;
  uint64_t own_bytes = 0, since = journal_bytes_;
  for (uint32_t s = 0; s < shards_.size(); ++s) {
    const Shard& shard = shards_[s];
    if (shard.first_unsaved == 0) continue;
    const ShardId id{static_cast<uint16_t>(s)};
    if (shard.since < since) oldest = id, since = shard.since;
    if (shard.own_bytes <= std::max(limits_.shard_bytes_min, own_bytes)) continue;
    if (shard.own_bytes > table.totals(id).bytes / 10) longest = id, own_bytes = shard.own_bytes;
  }
  // A shard that changes seldom must not keep the journal from being trimmed for ever.
  return journal_bytes_ - since > limits_.journal_bytes_max ? oldest : longest;
}

TrimNote Backlog::Trim(uint64_t log_number) const {
  TrimNote note{.journal_begin = log_number};
  for (uint32_t s = 0; s < shards_.size(); ++s) {
    const Shard& shard = shards_[s];
    if (shard.first_unsaved != 0)
      note.journal_begin = std::min(note.journal_begin, shard.first_unsaved);
    if (shard.position != 0)
      note.positions.emplace_back(ShardId{static_cast<uint16_t>(s)}, shard.position);
  }
  return note;
}

}  // namespace opic::ledger
