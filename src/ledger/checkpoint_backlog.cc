#include "ledger/checkpoint_backlog.h"

#include <algorithm>

#include "base/check.h"

namespace opic::ledger {
namespace {

// Of slots: what is copied in some milliseconds.
constexpr uint64_t kTogetherBytes = 2 << 20;

}  // namespace

void CheckpointBacklog::Saving(ShardId id) {
  Shard& shard = shards_[id.value];
  OPIC_CHECK(shard.saving == 0) << "two checkpoints of shard " << id.value << " at once";
  shard = {.position = shard.position, .saving = shard.first_unsaved, .saving_since = shard.since};
}

void CheckpointBacklog::Saved(ShardId id, uint64_t position) {
  Shard& shard = shards_[id.value];
  OPIC_CHECK(shard.first_unsaved == 0 || shard.first_unsaved > position)
      << "the checkpoint of shard " << id.value << " was not begun";
  shard.position = position;
  shard.saving = shard.saving_since = 0;
}

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

uint64_t CheckpointBacklog::Allowed(const page_table::PageTable& table) const {
  return std::max(limits_.journal_bytes_max, table.totals().bytes / 4);
}

bool CheckpointBacklog::IsOverdue(const page_table::PageTable& table, ShardId id) const {
  const Shard& shard = shards_[id.value];
  return shard.first_unsaved != 0 && journal_bytes_ - shard.since > Allowed(table);
}

bool CheckpointBacklog::Due(const page_table::PageTable& table) const {
  for (uint32_t s = 0; s < shards_.size(); ++s) {
    if (shards_[s].first_unsaved == 0) continue;
    if (IsOverdue(table, ShardAt(s)) || IsLong(table, ShardAt(s))) return true;
  }
  return false;
}

bool CheckpointBacklog::FarBehind(const page_table::PageTable& table) const {
  const uint64_t most = 2 * Allowed(table);
  return std::any_of(shards_.begin(), shards_.end(), [&](const Shard& shard) {
    return (shard.first_unsaved != 0 && journal_bytes_ - shard.since > most) ||
           (shard.saving != 0 && journal_bytes_ - shard.saving_since > most);
  });
}

std::vector<ShardId> CheckpointBacklog::Next(const page_table::PageTable& table) const {
  std::vector<ShardId> next;
  for (uint32_t s = 0; s < shards_.size(); ++s) {
    if (shards_[s].first_unsaved != 0) next.push_back(ShardAt(s));
  }
  std::stable_sort(next.begin(), next.end(), [&](ShardId a, ShardId b) {
    const bool a_overdue = IsOverdue(table, a), b_overdue = IsOverdue(table, b);
    if (a_overdue != b_overdue) return a_overdue;
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
    for (uint64_t lacks : {shard.first_unsaved, shard.saving}) {
      if (lacks != 0) note.journal_begin = std::min(note.journal_begin, lacks);
    }
    if (shard.position != 0) note.positions.emplace_back(ShardAt(s), shard.position);
    OPIC_CHECK(shard.first_unsaved == 0 || shard.position < shard.first_unsaved)
        << "shard " << s << " has a record that is saved and unsaved";
    OPIC_CHECK(shard.position <= log_number) << "a checkpoint of shard " << s << " from the future";
  }
  return note;
}

}  // namespace opic::ledger
