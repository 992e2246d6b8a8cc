// Opening a ledger: genesis, or checkpoints and journal brought together and checked.
#include "absl/strings/str_format.h"
#include "base/encoding.h"
#include "base/status_macros.h"
#include "ledger/ledger.h"
#include "ledger/replay.h"

namespace opic::ledger {
namespace {

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(absl::StrCat("the data folder is damaged: ", std::string(what),
                                          "; restore it from a backup"));
}

absl::StatusOr<TrimNote> ReadTrimNote(store::Store& store, uint32_t shards) {
  ASSIGN_OR_RETURN(const std::optional<std::string> value,
                   store.Get(store::Table::kMeta, kTrimNoteKey));
  if (!value) return TrimNote();
  return DecodeTrimNote(*value, shards);
}

}  // namespace

absl::StatusOr<std::optional<Charter>> Ledger::StoredCharter(store::Store& store) {
  ASSIGN_OR_RETURN(const std::optional<std::string> stored,
                   store.Get(store::Table::kMeta, kCharterKey));
  if (!stored) return std::nullopt;
  ASSIGN_OR_RETURN(Charter charter, Charter::Decode(*stored));
  return charter;
}

absl::StatusOr<std::unique_ptr<Ledger>> Ledger::Open(const Options& options, store::Store& store,
                                                     const Charter* wanted) {
  ASSIGN_OR_RETURN(const std::optional<std::string> stored,
                   store.Get(store::Table::kMeta, kCharterKey));
  if (!stored && (wanted == nullptr || options.read_only)) {
    return absl::NotFoundError("there is no crawl in this data folder");
  }
  if (wanted != nullptr) RETURN_IF_ERROR(wanted->Validate());
  Charter charter;
  if (stored) {
    ASSIGN_OR_RETURN(charter, Charter::Decode(*stored));
    if (wanted != nullptr) RETURN_IF_ERROR(charter.AgreesWith(*wanted));
  } else {
    charter = *wanted;
  }
  std::unique_ptr<Ledger> ledger(new Ledger(options, store, charter));
  if (!options.checkpoint_folder.empty()) {
    RETURN_IF_ERROR(ledger->OpenCheckpoints(/*create=*/false));
  }
  if (stored) RETURN_IF_ERROR(ledger->Recover());
  // Sound, as far as reading tells; nothing was changed so far.
  if (!options.read_only) {
    if (!stored) RETURN_IF_ERROR(ledger->ExpectNothing("it has rows and no charter"));
    RETURN_IF_ERROR(store.BeginWriting());
    if (ledger->checkpoints_) RETURN_IF_ERROR(ledger->OpenCheckpoints(/*create=*/true));
    if (!stored) RETURN_IF_ERROR(ledger->Genesis());
  }
  return ledger;
}

absl::Status Ledger::OpenCheckpoints(bool create) {
  ASSIGN_OR_RETURN(Checkpoints checkpoints,
                   Checkpoints::Open(options_.checkpoint_folder, charter_.cluster_id, create));
  checkpoints_ = std::make_unique<Checkpoints>(std::move(checkpoints));
  return absl::OkStatus();
}

// A folder that lost its charter, or all its journal, is not empty.
absl::Status Ledger::ExpectNothing(std::string_view otherwise) const {
  for (store::Table table : {store::Table::kPage, store::Table::kHistory, store::Table::kJournal,
                             store::Table::kPeer, store::Table::kOutbox}) {
    const std::unique_ptr<store::Cursor> rows = store_.Scan(table, "");
    RETURN_IF_ERROR(rows->status());
    if (rows->Valid()) return Damaged(otherwise);
  }
  if (checkpoints_ && checkpoints_->any()) return Damaged(otherwise);
  return absl::OkStatus();
}

// Makes the first write of an empty folder. One that takes the place of a lost folder goes on from
// what passed the channels of that one; its first journal record says so.
absl::Status Ledger::Genesis() {
  store::Batch batch;
  batch.Put(store::Table::kMeta, kCharterKey, charter_.Encode());
  last_.virtual_page = books_.virtual_page();
  if (!charter_.lost.empty()) TakeOver(batch);
  RETURN_IF_ERROR(base::WithContext(store_.Write(batch, store::Sync::kYes), "writing the charter"));
  peers_.Committed();
  restating_.Committed();
  return absl::OkStatus();
}

void Ledger::TakeOver(store::Batch& batch) {
  cash::Sum received = 0, sealed = 0, clock = 0;
  for (const LostChannel& lost : charter_.lost) {
    OPIC_CHECK(peers_.Has(lost.peer)) << "a lost folder had a channel to no peer";
    peers_.TakeOver(lost);
    received += lost.received;
    sealed += lost.sealed;
    clock = std::max(clock, lost.clock);
  }
  books_.SetPassed(received, sealed);
  books_.SetBalances(cash::Amount(static_cast<int64_t>(books_.Due())), clock);
  JournalRecord record;
  record.method = charter_.method;
  record.after = BalancesAfter(record);
  peers_.WriteTo(batch);
  std::string encoded = Encode(record);
  backlog_.Changed(++log_number_, encoded.size(), record.after);
  batch.Put(store::Table::kJournal, base::Big64(log_number_), std::move(encoded));
  restating_.RecordsWereLost();
  restating_.WriteTo(batch);
  last_ = std::move(record.after);
  accounting_->Recovered(last_);
}

absl::Status Ledger::Recover() {
  ASSIGN_OR_RETURN(const TrimNote note, ReadTrimNote(store_, charter_.shards));
  journal_begin_ = note.journal_begin;
  last_.virtual_page = books_.virtual_page();
  RETURN_IF_ERROR(LoadCheckpoints(note));
  RETURN_IF_ERROR(ReplayJournal());
  books_.SetBalances(last_.virtual_page, last_.clock);
  books_.SetPassed(last_.received, last_.sealed);
  RETURN_IF_ERROR(peers_.Load(store_));
  RETURN_IF_ERROR(moves_.Load());
  RETURN_IF_ERROR(delivery_.held().Load(store_));
  RETURN_IF_ERROR(restating_.Load());
  RETURN_IF_ERROR(CheckRecovered());
  books_.by_kind() = last_.by_kind;
  accounting_->Recovered(last_);
  if (const auto reference = accounting_->BetterReference()) table().SetReference(*reference);
  recovery_.pages = books_.table().totals().pages;
  recovery_.last_log_number = log_number_;
  return absl::OkStatus();
}

absl::Status Ledger::LoadCheckpoints(const TrimNote& note) {
  if (checkpoints_) {
    ASSIGN_OR_RETURN(const std::vector<CheckpointInfo> loaded,
                     checkpoints_->LoadAll(books_.table()));
    for (const CheckpointInfo& info : loaded) {
      backlog_.Saved(info.shard, info.position);
      recovery_.checkpoint_bytes += info.bytes;
    }
    recovery_.checkpoints = loaded.size();
  }
  for (const auto& [shard, position] : note.positions) {
    if (backlog_.position(shard) < position) {
      return Damaged(
          absl::StrFormat("the checkpoint of shard %d is missing or too old", shard.value));
    }
  }
  return absl::OkStatus();
}

absl::Status Ledger::ReplayJournal() {
  log_number_ = journal_begin_ - 1;
  Replay replay(charter_.shards, books_, backlog_);
  const std::unique_ptr<store::Cursor> journal =
      store_.Scan(store::Table::kJournal, base::Big64(journal_begin_));
  for (; journal->Valid(); journal->Next()) {
    if (journal->key() != base::Big64(log_number_ + 1)) {
      return Damaged(absl::StrCat("journal record ", log_number_ + 1, " is missing"));
    }
    ASSIGN_OR_RETURN(JournalRecord record, DecodeJournalRecord(journal->value()));
    if (record.method != charter_.method) {
      return Damaged(absl::StrCat("journal record ", log_number_ + 1, " is of another accounting"));
    }
    RETURN_IF_ERROR(replay.Apply(log_number_ + 1, record));
    ++log_number_;
    backlog_.Changed(log_number_, journal->value().size(), record.after);
    ++recovery_.records_replayed;
    last_ = std::move(record.after);
  }
  RETURN_IF_ERROR(journal->status());
  // The last record is never trimmed: without any, nothing has happened yet.
  return recovery_.records_replayed == 0 ? ExpectNothing("it has rows and no journal")
                                         : absl::OkStatus();
}

absl::Status Ledger::CheckRecovered() const {
  for (uint32_t s = 0; s < charter_.shards; ++s) {
    const uint64_t position = backlog_.position(ShardId{static_cast<uint16_t>(s)});
    if (position > log_number_) {
      return Damaged(absl::StrFormat("a checkpoint holds journal record %d, the journal ends at %d",
                                     position, log_number_));
    }
  }
  if (!books_.Balanced()) {
    return Damaged(absl::StrCat(
        "table ", cash::ToString(books_.table().totals().cash), " + virtual page ",
        books_.virtual_page().units(), " is not genesis ", books_.genesis().units(), " + received ",
        cash::ToString(books_.received()), " - sealed ", cash::ToString(books_.sealed())));
  }
  cash::Sum received = 0, sealed = 0;
  for (uint16_t n = 0; n < options_.nodes; ++n) {
    if (!peers_.Has(NodeId{n})) continue;
    const PeerBook& book = peers_.book(NodeId{n});
    received += book.applied_cash + book.closed_applied_cash;
    sealed += book.sealed_cash + book.closed_sealed_cash;
  }
  if (received != books_.received() || sealed != books_.sealed()) {
    return Damaged("the books of the peers do not have the sums of the journal");
  }
  if (books_.table().totals().pages != last_.pages) {
    return Damaged(absl::StrFormat("the table has %d pages, the journal says %d",
                                   books_.table().totals().pages, last_.pages));
  }
  return absl::OkStatus();
}

}  // namespace opic::ledger
