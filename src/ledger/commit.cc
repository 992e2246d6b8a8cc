// Ending a commit group: credits, instalments, the journal record, and the one atomic synced write.
#include <algorithm>

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
  for (const Departure& departure : record.departures) touch(departure.shard);
  for (const ArrivedPage& arrival : record.arrivals) touch(arrival.page.shard());
  std::sort(shards.begin(), shards.end());
  shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
  return shards;
}

}  // namespace

bool Ledger::NothingToWrite(const JournalRecord& record) const {
  return record.empty() && !accounting_->dirty(last_) && !peers_.dirty() && !placements_.dirty() &&
         !delivery_.held().dirty() && !restating_.dirty();
}

// The order of effects is that of JournalRecord: visits and reopening have happened already.
JournalRecord Ledger::CloseRecord() {
  JournalRecord record;
  record.method = charter_.method;
  record.visits = std::move(group_.visits);
  record.reopened = std::move(group_.reopened);
  record.departures = group_.departures;
  for (const MovedPage& moved : group_.moved) {
    record.arrivals.push_back({moved.page, moved.cash, moved.done});
  }
  std::sort(record.arrivals.begin(), record.arrivals.end(),
            [](const ArrivedPage& a, const ArrivedPage& b) { return a.page < b.page; });
  record.instalments = accounting_->Instalments(record.visits.size());
  record.credits = sealing_.SealForPeers(MergedCredits(), cut_.epoch);
  if (NothingToWrite(record)) return record;

  record.rounding = accounting_->RoundingFor(record.credits, record.instalments);
  for (size_t i = 0; i < record.instalments.size(); ++i) {
    books_.PayInstalment(record.instalments[i], i, record.rounding, log_number_ + 1);
  }
  books_.PayCredits(record.credits, record.rounding, log_number_ + 1, [](ShardId) { return true; });
  accounting_->GroupEnds(group_.fetched);

  record.after = BalancesAfter(record);
  return record;
}

Balances Ledger::BalancesAfter(const JournalRecord& record) const {
  Balances after;
  after.virtual_page = books_.virtual_page();
  after.clock = books_.clock();
  after.pages = books_.table().totals().pages;
  after.by_kind = books_.by_kind();
  accounting_->AddTo(after);
  after.received = books_.received();
  after.sealed = books_.sealed();
  for (ShardId shard : ShardsOf(record)) {
    after.shards.emplace_back(shard, books_.table().totals(shard).cash);
  }
  return after;
}

store::Batch Ledger::BatchOf(const JournalRecord& record) {
  store::Batch batch;
  moves_.WriteTo(batch);
  if (charter_outdated_) batch.Put(store::Table::kMeta, kCharterKey, charter_.Encode());
  for (const auto& [page, row] : group_.discovered) {
    batch.Put(store::Table::kPage, KeyOf(page), Encode(row));
  }
  for (const auto& [page, row] : group_.rows) {
    batch.Put(store::Table::kHistory, KeyOf(page), Encode(row, window_));
  }
  peers_.WriteTo(batch);
  delivery_.held().WriteTo(batch);
  restating_.WriteTo(batch);
  std::string encoded = Encode(record);
  backlog_.Changed(log_number_ + 1, encoded.size(), record.after);
  batch.Put(store::Table::kJournal, base::Big64(log_number_ + 1), std::move(encoded));
  return batch;
}

absl::StatusOr<uint64_t> Ledger::Commit() {
  OPIC_CHECK(!options_.read_only) << "commit to a ledger opened for reading";
  RETURN_IF_ERROR(failed_);
  JournalRecord record = CloseRecord();
  if (NothingToWrite(record)) return log_number_;
  OPIC_CHECK(books_.Balanced()) << "the node's equation does not hold before record "
                                << log_number_ + 1;
  const store::Batch batch = BatchOf(record);
  failed_ = base::WithContext(store_.Write(batch, store::Sync::kYes), "writing a commit group");
  RETURN_IF_ERROR(failed_);
  ++log_number_;
  last_ = std::move(record.after);
  group_ = CommitGroup();
  peers_.Committed();
  moves_.Committed();
  delivery_.held().Committed();
  restating_.Committed();
  charter_outdated_ = false;
  return log_number_;
}

absl::Status Ledger::CheckpointShards(absl::Span<const ShardId> shards) {
  RETURN_IF_ERROR(checkpoints_->Write(books_.table(), shards, log_number_));
  for (ShardId shard : shards) backlog_.Saved(shard, log_number_);
  return absl::OkStatus();
}

absl::Status Ledger::Checkpoint(bool all) {
  RETURN_IF_ERROR(failed_);
  if (!checkpoints_ || (!all && !backlog_.Due(books_.table()))) return absl::OkStatus();
  OPIC_CHECK(group_.empty()) << "checkpoint inside a commit group";
  OPIC_CHECK(!options_.read_only) << "checkpoint of a ledger opened for reading";
  OPIC_CHECK(books_.Balanced()) << "the node's equation does not hold at a checkpoint";
  std::vector<ShardId> shards = backlog_.Next(books_.table());
  RETURN_IF_ERROR(CheckpointShards(shards));
  while (all && !shards.empty()) {
    shards = backlog_.Next(books_.table());
    RETURN_IF_ERROR(CheckpointShards(shards));
  }
  return Trim();
}

// Drops the records that every checkpoint holds. Not synced: when the write is lost, a recovery
// finds more records than it needs.
absl::Status Ledger::Trim() {
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
