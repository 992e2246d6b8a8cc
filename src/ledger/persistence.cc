#include "ledger/persistence.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "base/damaged_folder.h"
#include "base/encoding.h"
#include "base/status_macros.h"
#include "ledger/replay.h"

namespace opic::ledger {
namespace {

absl::StatusOr<TrimNote> ReadTrimNote(store::Store& store, uint32_t shards) {
  ASSIGN_OR_RETURN(const std::optional<std::string> value,
                   store.Get(store::Table::kMeta, kTrimNoteKey));
  if (!value) return TrimNote();
  return DecodeTrimNote(*value, shards);
}

}  // namespace

Persistence::Persistence(const Options& options, const Charter& charter, store::Store& store)
    : save_(options.save),
      copied_at_once_(options.checkpoint_copied_at_once),
      charter_(charter),
      store_(store),
      backlog_(charter.shards, {options.shard_journal_bytes_min, options.journal_bytes_max,
                                options.checkpoint_shards_max}) {
  last_.virtual_page = charter.genesis;
  if (!options.checkpoint_folder.empty()) {
    checkpoints_.emplace(options.checkpoint_folder, charter.cluster_id);
  }
}

absl::Status Persistence::ExpectNothing(std::string_view otherwise) const {
  for (store::Table table : {store::Table::kPage, store::Table::kHistory, store::Table::kJournal,
                             store::Table::kPeer, store::Table::kOutbox}) {
    const std::unique_ptr<store::Cursor> rows = store_.Scan(table, "");
    RETURN_IF_ERROR(rows->status());
    if (rows->Valid()) return base::DamagedFolder(otherwise);
  }
  if (checkpoints_ && checkpoints_->any()) return base::DamagedFolder(otherwise);
  return absl::OkStatus();
}

absl::StatusOr<RecoveryReport> Persistence::Load(Books& books) {
  RecoveryReport report;
  ASSIGN_OR_RETURN(const TrimNote note, ReadTrimNote(store_, charter_.shards));
  journal_begin_ = note.journal_begin;
  RETURN_IF_ERROR(LoadCheckpoints(books.table(), report));
  RETURN_IF_ERROR(CheckTrimmed(note));
  RETURN_IF_ERROR(ReplayJournal(books, report));
  RETURN_IF_ERROR(CheckPositions());
  report.pages = books.table().totals().pages;
  return report;
}

absl::Status Persistence::LoadCheckpoints(page_table::PageTable& table, RecoveryReport& report) {
  if (!checkpoints_) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<CheckpointInfo> loaded, checkpoints_->LoadAll(table));
  for (const CheckpointInfo& info : loaded) backlog_.Saved(info.shard, info.position);
  report.checkpoints = loaded.size();
  return absl::OkStatus();
}

// What was trimmed from the journal is in the checkpoints, or nowhere.
absl::Status Persistence::CheckTrimmed(const TrimNote& note) const {
  for (const auto& [shard, position] : note.positions) {
    if (backlog_.position(shard) < position) {
      return base::DamagedFolder(
          absl::StrFormat("the checkpoint of shard %d is missing or too old", shard.value));
    }
  }
  return absl::OkStatus();
}

absl::Status Persistence::ReplayJournal(Books& books, RecoveryReport& report) {
  log_number_ = journal_begin_ - 1;
  Replay replay(charter_.shards, books, backlog_);
  const std::unique_ptr<store::Cursor> journal =
      store_.Scan(store::Table::kJournal, base::Big64(journal_begin_));
  for (; journal->Valid(); journal->Next()) {
    if (journal->key() != base::Big64(log_number_ + 1)) {
      return base::DamagedFolder(absl::StrCat("journal record ", log_number_ + 1, " is missing"));
    }
    absl::StatusOr<JournalRecord> decoded = DecodeJournalRecord(journal->value());
    if (!decoded.ok() || decoded->method != charter_.method) {
      return base::DamagedFolder(
          absl::StrCat("journal record ", log_number_ + 1,
                       decoded.ok() ? " belongs to another importance method" : " cannot be read"));
    }
    JournalRecord record = *std::move(decoded);
    RETURN_IF_ERROR(replay.Apply(log_number_ + 1, record));
    ++log_number_;
    backlog_.Changed(log_number_, journal->value().size(), record.after);
    ++report.records_replayed;
    last_ = std::move(record.after);
  }
  RETURN_IF_ERROR(journal->status());
  // The last record is never trimmed: without any, nothing has happened yet.
  return report.records_replayed == 0 ? ExpectNothing("it has rows and no journal")
                                      : absl::OkStatus();
}

absl::Status Persistence::CheckPositions() const {
  for (uint32_t s = 0; s < charter_.shards; ++s) {
    const uint64_t position = backlog_.position(ShardAt(s));
    if (position > log_number_) {
      return base::DamagedFolder(absl::StrFormat(
          "a checkpoint holds journal record %d, the journal ends at %d", position, log_number_));
    }
  }
  return absl::OkStatus();
}

absl::Status Persistence::BeginWriting() {
  return checkpoints_ ? checkpoints_->BeginWriting() : absl::OkStatus();
}

void Persistence::Append(const JournalRecord& record, store::Batch& batch) {
  std::string encoded = Encode(record);
  backlog_.Changed(log_number_ + 1, encoded.size(), record.after);
  batch.Put(store::Table::kJournal, base::Big64(log_number_ + 1), std::move(encoded));
}

void Persistence::Appended(Balances after) {
  ++log_number_;
  last_ = std::move(after);
}

bool Persistence::CheckpointDue(const page_table::PageTable& table, bool all) const {
  if (!checkpoints_) return false;
  return round_ || (all ? !backlog_.Next(table).empty() : backlog_.Due(table));
}

absl::Status Persistence::Checkpoint(page_table::PageTable& table, bool all) {
  if (!checkpoints_) return absl::OkStatus();
  if (round_) round_->Copy(copied_at_once_);
  if (round_ && !all && !backlog_.FarBehind(table) && !round_->Ready(log_number_)) {
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(EndRound());
  if (!all && save_ != SaveCheckpoints::kAtOnce) {
    if (backlog_.Due(table)) BeginRound(table);
    return Trim();
  }
  std::vector<ShardId> shards;
  do {
    shards = ShardsToSave(table);
    RETURN_IF_ERROR(SaveNow(table, shards));
  } while (all && !shards.empty());
  return Trim();
}

std::vector<ShardId> Persistence::ShardsToSave(const page_table::PageTable& table) const {
  std::vector<ShardId> shards = backlog_.Next(table);
  if (shards.empty()) return shards;
  for (const ShardId keeping : checkpoints_->KeepingFiles()) {
    if (std::ranges::find(shards, keeping) == shards.end()) shards.push_back(keeping);
  }
  return shards;
}

absl::Status Persistence::SaveNow(const page_table::PageTable& table,
                                  const std::vector<ShardId>& shards) {
  RETURN_IF_ERROR(checkpoints_->Write(
      shards, log_number_,
      [&](size_t i, Checkpoints::Append append) { table.Save(shards[i], append); }));
  for (ShardId shard : shards) {
    backlog_.Saving(shard);
    backlog_.Saved(shard, log_number_);
  }
  return absl::OkStatus();
}

void Persistence::BeginRound(page_table::PageTable& table) {
  round_.emplace(*checkpoints_, table, ShardsToSave(table), log_number_, save_);
  for (ShardId shard : round_->shards()) backlog_.Saving(shard);
  round_->Copy(copied_at_once_);
}

absl::Status Persistence::EndRound() {
  if (!round_) return absl::OkStatus();
  RETURN_IF_ERROR(round_->End());
  for (ShardId shard : round_->shards()) backlog_.Saved(shard, round_->position());
  round_.reset();
  return absl::OkStatus();
}

// Drops the records that every checkpoint holds. Not synced: when the write is lost, a recovery
// finds more records than it needs.
absl::Status Persistence::Trim() {
  const TrimNote note = backlog_.Trim(log_number_);
  if (note.journal_begin <= journal_begin_) return absl::OkStatus();
  store::Batch batch;
  batch.DeleteRange(store::Table::kJournal, base::Big64(journal_begin_),
                    base::Big64(note.journal_begin));
  batch.Put(store::Table::kMeta, kTrimNoteKey, Encode(note));
  RETURN_IF_ERROR(base::WithContext(store_.Write(batch, store::Sync::kNo), "trimming the journal"));
  journal_begin_ = note.journal_begin;
  return absl::OkStatus();
}

}  // namespace opic::ledger
