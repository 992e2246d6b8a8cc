// Ending a commit group: credits, instalments, the journal record, and the one atomic synced write.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "base/encoding.h"
#include "base/status_macros.h"
#include "ledger/ledger.h"

namespace opic::ledger {

// Transfers to the same page are summed within a group, and sorted so that their encoding is short.
std::vector<page_table::Credit> Ledger::MergedCredits() {
  std::vector<page_table::Credit> credits = std::move(group_.credits);
  std::sort(
      credits.begin(), credits.end(),
      [](const page_table::Credit& a, const page_table::Credit& b) { return a.page < b.page; });
  size_t kept = 0;
  for (size_t i = 0; i < credits.size(); ++i) {
    if (kept > 0 && credits[kept - 1].page == credits[i].page) {
      credits[kept - 1].amount += credits[i].amount;
    } else {
      credits[kept++] = credits[i];
    }
  }
  credits.resize(kept);
  return credits;
}

namespace {

std::vector<ShardId> ShardsOf(const JournalRecord& record) {
  std::vector<ShardId> shards;
  const auto touch = [&](ShardId shard) {
    if (shards.empty() || shards.back() != shard) shards.push_back(shard);
  };
  for (const page_table::Credit& credit : record.credits) touch(credit.page.shard());
  for (const JournalVisit& visit : record.visits) touch(visit.page.shard());
  for (const Instalment& instalment : record.instalments) touch(instalment.shard);
  for (PageId page : record.reopened) touch(page.shard());
  std::sort(shards.begin(), shards.end());
  shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
  return shards;
}

}  // namespace

// The order of effects is that of JournalRecord: visits and reopening have happened already.
JournalRecord Ledger::CloseRecord() {
  JournalRecord record;
  record.visits = std::move(group_.visits);
  record.reopened = std::move(group_.reopened);
  virtual_page_.VisitsMade(record.visits.size());
  record.instalments = virtual_page_.Due(books_);
  record.credits = MergedCredits();
  if (record.empty()) return record;

  record.rounding = books_.RoundingFor(record.credits, record.instalments);
  for (size_t i = 0; i < record.instalments.size(); ++i) {
    books_.PayInstalment(record.instalments[i], i, record.rounding, log_number_ + 1);
  }
  books_.PayCredits(record.credits, record.rounding, log_number_ + 1, [](ShardId) { return true; });
  if (group_.fetched) fetch_clock_ = books_.clock();

  Balances& after = record.after;
  after.virtual_page = books_.virtual_page();
  after.clock = books_.clock();
  after.fetch_clock = fetch_clock_;
  after.newcomer_importance = newcomers_.mean();
  after.pages = books_.table().totals().pages;
  after.by_kind = by_kind_;
  for (ShardId shard : ShardsOf(record)) {
    after.shards.emplace_back(shard, books_.table().totals(shard).cash);
  }
  return record;
}

store::Batch Ledger::BatchOf(const JournalRecord& record) {
  store::Batch batch;
  for (const auto& [page, row] : group_.discovered)
    batch.Put(store::Table::kPage, KeyOf(page), Encode(row));
  for (const auto& [page, row] : group_.rows) {
    batch.Put(store::Table::kHistory, KeyOf(page), Encode(row, window_));
  }
  std::string encoded = Encode(record);
  const uint64_t share = encoded.size() / std::max<size_t>(1, record.after.shards.size());
  for (const auto& [shard, sum] : record.after.shards) {
    Unsaved& unsaved = unsaved_[shard.value];
    unsaved.last_touched = log_number_ + 1;
    unsaved.journal_bytes += share;
  }
  unsaved_bytes_ += encoded.size();
  batch.Put(store::Table::kJournal, base::Big64(log_number_ + 1), std::move(encoded));
  return batch;
}

absl::StatusOr<uint64_t> Ledger::Commit() {
  OPIC_CHECK(!options_.read_only) << "commit to a ledger opened for reading";
  JournalRecord record = CloseRecord();
  if (record.empty()) return log_number_;
  OPIC_CHECK(books_.Balanced()) << "the node's equation does not hold before record "
                                << log_number_ + 1;
  const store::Batch batch = BatchOf(record);
  RETURN_IF_ERROR(
      base::WithContext(store_.Write(batch, store::Sync::kYes), "writing a commit group"));
  ++log_number_;
  last_ = std::move(record.after);
  group_ = Group();
  return log_number_;
}

absl::Status Ledger::CheckpointShard(ShardId shard) {
  Unsaved& unsaved = unsaved_[shard.value];
  RETURN_IF_ERROR(checkpoints_->Write(books_.table(), shard, log_number_).status());
  unsaved_bytes_ -= std::min(unsaved_bytes_, unsaved.journal_bytes);
  unsaved.position = log_number_;
  unsaved.journal_bytes = 0;
  return absl::OkStatus();
}

absl::Status Ledger::Checkpoint(bool all) {
  if (!checkpoints_) return absl::OkStatus();
  OPIC_CHECK(group_.visits.empty() && group_.credits.empty()) << "checkpoint inside a commit group";
  OPIC_CHECK(books_.Balanced()) << "the node's equation does not hold at a checkpoint";
  std::optional<ShardId> due;
  uint64_t most = 0;
  bool written = false;
  for (uint32_t s = 0; s < charter_.shards; ++s) {
    const Unsaved& unsaved = unsaved_[s];
    if (unsaved.last_touched <= unsaved.position) continue;
    const ShardId shard{static_cast<uint16_t>(s)};
    if (all) {
      RETURN_IF_ERROR(CheckpointShard(shard));
      written = true;
      continue;
    }
    const uint64_t allowed =
        std::max(options_.shard_journal_bytes_min, books_.table().totals(shard).bytes / 10);
    const bool over =
        unsaved.journal_bytes > allowed || unsaved_bytes_ > options_.journal_bytes_max;
    if (over && unsaved.journal_bytes >= most) due = shard, most = unsaved.journal_bytes;
  }
  if (due) {
    RETURN_IF_ERROR(CheckpointShard(*due));
    written = true;
  }
  return written ? Trim() : absl::OkStatus();
}

// Drops the records that every checkpoint holds; the last one stays, for its balances. What must be
// there at the next recovery is noted in the same write, so that a lost file is noticed.
absl::Status Ledger::Trim() {
  uint64_t oldest = log_number_ - 1;
  std::string noted;
  uint64_t count = 0;
  for (uint32_t s = 0; s < charter_.shards; ++s) {
    const Unsaved& unsaved = unsaved_[s];
    if (unsaved.last_touched > unsaved.position) oldest = std::min(oldest, unsaved.position);
    if (unsaved.position == 0) continue;
    base::AppendVarint(noted, s);
    base::AppendVarint(noted, unsaved.position);
    ++count;
  }
  if (oldest + 1 <= journal_begin_) return absl::OkStatus();
  std::string value;
  base::AppendVarint(value, oldest + 1);
  base::AppendVarint(value, count);
  value += noted;
  store::Batch batch;
  batch.DeleteRange(store::Table::kJournal, base::Big64(journal_begin_), base::Big64(oldest + 1));
  batch.Put(store::Table::kMeta, "trim", std::move(value));
  RETURN_IF_ERROR(store_.Write(batch, store::Sync::kYes));
  journal_begin_ = oldest + 1;
  return absl::OkStatus();
}

}  // namespace opic::ledger
