#include "ledger/checkpoint_backlog.h"

#include <algorithm>

#include "base/check.h"

namespace opic::ledger {
namespace {

// Of slots: what is written in less time than its sync takes.
constexpr uint64_t kTogetherBytes = 1 << 20;

}  // namespace

void CheckpointBacklog::Changed(uint64_t log_number, uint64_t bytes, const Balances& after) {
  for (const auto& [id, sum] : after.shards) {
    Shard& shard = shards_[id.value];
    if (shard.position >= log_number) continue;
    if (shard.first_unsaved == 0) shard.first_unsaved = log_number, shard.since = journal_bytes_;
    shard.own_bytes += bytes / after.shards.size();
  }
  journal_bytes_ += bytes;
}

bool CheckpointBacklog::IsLong(const page_table::PageTable& table, ShardId id) const {
  return shards_[id.value].own_bytes >
         std::max(limits_.shard_bytes_min, table.totals(id).bytes / 10);
}

bool CheckpointBacklog::Due(const page_table::PageTable& table) const {
  const uint64_t allowed = std::max(limits_.journal_bytes_max, table.totals().bytes / 4);
  for (uint32_t s = 0; s < shards_.size(); ++s) {
    const Shard& shard = shards_[s];
    if (shard.first_unsaved == 0) continue;
    // A shard that changes seldom must not keep the journal from being trimmed for ever.
    if (journal_bytes_ - shard.since > allowed) return true;
    if (IsLong(table, ShardAt(s))) return true;
  }
  return false;
}

std::vector<ShardId> CheckpointBacklog::Next(const page_table::PageTable& table) const {
  std::vector<ShardId> next;
  for (uint32_t s = 0; s < shards_.size(); ++s) {
    if (shards_[s].first_unsaved != 0) next.push_back(ShardAt(s));
  }
  std::stable_sort(next.begin(), next.end(), [&](ShardId a, ShardId b) {
    const bool a_long = IsLong(table, a), b_long = IsLong(table, b);
    if (a_long != b_long) return a_long;
    return shards_[a.value].first_unsaved < shards_[b.value].first_unsaved;
  });
  uint64_t bytes = 0;
  size_t together = 0;
  while (together < std::min(next.size(), limits_.shards_together) && bytes < kTogetherBytes) {
    bytes += table.totals(next[together++]).bytes;
  }
  next.resize(together);
  return next;
}

TrimNote CheckpointBacklog::Trim(uint64_t log_number) const {
  TrimNote note{.journal_begin = log_number};
  for (uint32_t s = 0; s < shards_.size(); ++s) {
    const Shard& shard = shards_[s];
    if (shard.first_unsaved != 0)
      note.journal_begin = std::min(note.journal_begin, shard.first_unsaved);
    if (shard.position != 0) note.positions.emplace_back(ShardAt(s), shard.position);
    OPIC_CHECK(shard.first_unsaved == 0 || shard.position < shard.first_unsaved)
        << "shard " << s << " has a record that is saved and unsaved";
    OPIC_CHECK(shard.position <= log_number) << "a checkpoint of shard " << s << " from the future";
  }
  return note;
}

}  // namespace opic::ledger
