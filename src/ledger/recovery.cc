// Opening a ledger: genesis, or checkpoints and journal brought together and checked.
#include "absl/strings/str_format.h"
#include "base/encoding.h"
#include "base/status_macros.h"
#include "ledger/ledger.h"

namespace opic::ledger {
namespace {

constexpr char kCharterKey[] = "charter";

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(absl::StrCat("the data folder is damaged: ", std::string(what),
                                          "; restore it from a backup"));
}

// What Trim noted: the first record kept, and a position that each shard's checkpoint has reached.
struct TrimNote {
  uint64_t journal_begin = 1;
  std::vector<CheckpointInfo> checkpoints;
};

absl::StatusOr<TrimNote> ReadTrimNote(store::Store& store) {
  TrimNote note;
  ASSIGN_OR_RETURN(const std::optional<std::string> value, store.Get(store::Table::kMeta, "trim"));
  if (!value) return note;
  base::Decoder in(*value);
  note.journal_begin = in.Varint();
  const uint64_t count = in.Varint();
  for (uint64_t i = 0; i < count && in.ok(); ++i) {
    CheckpointInfo info;
    info.shard = ShardId{static_cast<uint16_t>(in.Varint())};
    info.position = in.Varint();
    note.checkpoints.push_back(info);
  }
  if (!in.done()) return Damaged("the note of the trimmed journal cannot be read");
  return note;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Ledger>> Ledger::Open(const Options& options, store::Store& store,
                                                     const Charter* wanted) {
  ASSIGN_OR_RETURN(const std::optional<std::string> stored,
                   store.Get(store::Table::kMeta, kCharterKey));
  if (!stored && (wanted == nullptr || options.read_only)) {
    return absl::NotFoundError("there is no crawl in this data folder");
  }
  Charter charter;
  if (stored) {
    ASSIGN_OR_RETURN(charter, Charter::Decode(*stored));
    if (wanted != nullptr) RETURN_IF_ERROR(charter.AgreesWith(*wanted));
  } else {
    charter = *wanted;
  }
  std::unique_ptr<Ledger> ledger(new Ledger(options, store, charter));
  if (!options.checkpoint_folder.empty()) {
    ASSIGN_OR_RETURN(
        Checkpoints checkpoints,
        Checkpoints::Open(options.checkpoint_folder, charter.cluster_id, !options.read_only));
    ledger->checkpoints_ = std::make_unique<Checkpoints>(std::move(checkpoints));
  }
  RETURN_IF_ERROR(stored ? ledger->Recover() : ledger->Genesis());
  return ledger;
}

absl::Status Ledger::Genesis() {
  store::Batch batch;
  batch.Put(store::Table::kMeta, kCharterKey, charter_.Encode());
  last_.virtual_page = books_.virtual_page();
  return base::WithContext(store_.Write(batch, store::Sync::kYes), "writing the charter");
}

absl::Status Ledger::Recover() {
  ASSIGN_OR_RETURN(const TrimNote note, ReadTrimNote(store_));
  journal_begin_ = note.journal_begin;
  last_.virtual_page = books_.virtual_page();
  std::vector<uint64_t> positions(charter_.shards, 0);
  if (checkpoints_) {
    ASSIGN_OR_RETURN(const std::vector<CheckpointInfo> loaded,
                     checkpoints_->LoadAll(books_.table()));
    for (const CheckpointInfo& info : loaded) {
      positions[info.shard.value] = info.position;
      unsaved_[info.shard.value].position = unsaved_[info.shard.value].last_touched = info.position;
      recovery_.checkpoint_bytes += info.bytes;
    }
    recovery_.checkpoints = loaded.size();
  }
  for (const CheckpointInfo& needed : note.checkpoints) {
    if (positions[needed.shard.value] < needed.position) {
      return Damaged(
          absl::StrFormat("the checkpoint of shard %d is missing or too old", needed.shard.value));
    }
  }

  log_number_ = journal_begin_ - 1;
  const std::unique_ptr<store::Cursor> journal =
      store_.Scan(store::Table::kJournal, base::Big64(journal_begin_));
  for (; journal->Valid(); journal->Next()) {
    if (journal->key() != base::Big64(log_number_ + 1)) {
      return Damaged(absl::StrCat("journal record ", log_number_ + 1, " is missing"));
    }
    ASSIGN_OR_RETURN(JournalRecord record, DecodeJournalRecord(journal->value()));
    RETURN_IF_ERROR(Replay(log_number_ + 1, record, positions));
    const uint64_t share =
        journal->value().size() / std::max<size_t>(1, record.after.shards.size());
    for (const auto& [shard, sum] : record.after.shards) {
      Unsaved& unsaved = unsaved_[shard.value];
      if (positions[shard.value] > log_number_) continue;
      unsaved.last_touched = log_number_ + 1;
      unsaved.journal_bytes += share;
      unsaved_bytes_ += share;
    }
    ++log_number_;
    ++recovery_.records_replayed;
    last_ = std::move(record.after);
  }
  RETURN_IF_ERROR(journal->status());
  books_.SetBalances(last_.virtual_page, last_.clock);
  RETURN_IF_ERROR(CheckRecovered(positions));
  by_kind_ = last_.by_kind;
  fetch_clock_ = last_.fetch_clock;
  newcomers_ = importance::Newcomers(last_.newcomer_importance);
  recovery_.pages = books_.table().totals().pages;
  recovery_.last_log_number = log_number_;
  return absl::OkStatus();
}

// Applies one record to the shards whose checkpoints are older, and compares their sums with the
// record's.
absl::Status Ledger::Replay(uint64_t log_number, const JournalRecord& record,
                            const std::vector<uint64_t>& positions) {
  const auto behind = [&](ShardId shard) { return positions[shard.value] < log_number; };
  if (!record.credits.empty() && record.credits.back().page.shard().value >= charter_.shards) {
    return Damaged("a journal record names no shard of ours");
  }
  for (const JournalVisit& visit : record.visits) {
    if (visit.page.shard().value >= charter_.shards)
      return Damaged("a journal record names no shard of ours");
    if (!behind(visit.page.shard())) continue;
    if (!books_.table().Find(visit.page)) return Damaged("the journal visits an unknown page");
    if (books_.TakeForVisit(visit.page) != visit.paid) {
      return Damaged(
          absl::StrCat("a visit in journal record ", log_number, " paid another amount"));
    }
    if (!visit.settled) books_.table().SetDone(visit.page, true);
  }
  for (PageId page : record.reopened) {
    if (!behind(page.shard())) continue;
    if (!books_.table().Find(page)) return Damaged("the journal reopens an unknown page");
    books_.table().SetDone(page, false);
  }
  for (size_t i = 0; i < record.instalments.size(); ++i) {
    if (record.instalments[i].shard.value >= charter_.shards)
      return Damaged("a journal record names no shard of ours");
    if (!behind(record.instalments[i].shard)) continue;
    // The balance that pays is settled by the record's end; here the account only has to bear it.
    books_.SetBalances(books_.supply(), books_.clock());
    books_.PayInstalment(record.instalments[i], i, record.rounding, log_number);
  }
  books_.SetBalances(books_.supply(), books_.clock());
  books_.PayCredits(record.credits, record.rounding, log_number, behind);
  for (const auto& [shard, sum] : record.after.shards) {
    if (shard.value >= charter_.shards) return Damaged("a journal record names no shard of ours");
    if (behind(shard) && books_.table().totals(shard).cash != sum) {
      return Damaged(absl::StrFormat("shard %d does not have the sum of journal record %d",
                                     shard.value, log_number));
    }
  }
  return absl::OkStatus();
}

absl::Status Ledger::CheckRecovered(const std::vector<uint64_t>& positions) const {
  for (uint64_t position : positions) {
    if (position > log_number_) {
      return Damaged(absl::StrFormat("a checkpoint holds journal record %d, the journal ends at %d",
                                     position, log_number_));
    }
  }
  if (!books_.Balanced()) {
    return Damaged(absl::StrCat("table ", cash::ToString(books_.table().totals().cash),
                                " + virtual page ", books_.virtual_page().units(),
                                " is not the supply ", books_.supply().units()));
  }
  if (books_.table().totals().pages != last_.pages) {
    return Damaged(absl::StrFormat("the table has %d pages, the journal says %d",
                                   books_.table().totals().pages, last_.pages));
  }
  return absl::OkStatus();
}

}  // namespace opic::ledger
