// Implements a part of ledger/ledger.h. Ending a commit group: credits, instalments, the journal
// record, and the one atomic synced write.
#include <algorithm>

#include "base/check.h"
#include "base/status_macros.h"
#include "ledger/ledger.h"
#include "ledger/merged_credits.h"

namespace opic::ledger {
namespace {

using page_table::Credit;

// Without signs.
cash::Sum Magnitude(const std::vector<Credit>& credits) {
  cash::Sum sum = 0;
  for (const Credit& credit : credits) sum += static_cast<cash::Sum>(credit.amount.magnitude());
  return sum;
}

}  // namespace

// A page is forgotten with its shard, and in no other way.
void Ledger::CheckPages(const JournalRecord& record) const {
  uint64_t departed = 0;
  for (const Departure& departure : record.departures) departed += departure.pages;
  OPIC_CHECK(record.after.pages + departed >= balances().pages)
      << "record " << log_number() + 1 << " loses pages";
}

bool Ledger::NothingToWrite(const JournalRecord& record) const {
  return record.empty() && !accounting_->dirty(balances()) && !peers_.dirty() &&
         !placements_.dirty() && !delivery_.held().dirty() && !restating_.dirty();
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
  std::vector<Credit> credits = MergedCredits(group_.credits);
  group_.credits.clear();
  const cash::Sum paid = Magnitude(credits);
  record.credits = sealing_.SealForPeers(std::move(credits), cut_.epoch);
  if (NothingToWrite(record)) return record;

  record.rounding = accounting_->RoundingFor(record.credits, record.instalments);
  for (size_t i = 0; i < record.instalments.size(); ++i) {
    books_.PayInstalment(record.instalments[i], i, record.rounding, log_number() + 1);
  }
  books_.PayCredits(record.credits, record.rounding, log_number() + 1,
                    [](ShardId) { return true; });
  accounting_->GroupEnds({.fetched = group_.fetched,
                          .brought = group_.brought,
                          .away = paid - Magnitude(record.credits)});

  record.after = books_.BalancesAfter(record);
  accounting_->AddTo(record.after);
  return record;
}

// By ascending page: a row goes into the store faster where the one before it went just now.
void Ledger::AddRows(store::Batch& batch) const {
  std::vector<const std::pair<const PageId, ChangedRow>*> rows;
  rows.reserve(group_.rows.size());
  for (const auto& row : group_.rows) rows.push_back(&row);
  std::ranges::sort(rows, {}, [](const auto* row) { return row->first; });
  for (const auto* row : rows) {
    const auto& [page, changed] = *row;
    if (changed.whole) {
      batch.Put(store::Table::kHistory, KeyOf(page), Encode(changed.row(), window_));
    } else {
      batch.ReplaceTail(store::Table::kHistory, KeyOf(page), EncodeAccount(changed.row(), window_));
    }
    if (tell_visited_) tell_visited_(page, changed.row());
  }
}

store::Batch Ledger::BatchOf(const JournalRecord& record) {
  store::Batch batch;
  moves_.WriteTo(batch);
  if (charter_outdated_) batch.Put(store::Table::kMeta, kCharterKey, charter_.Encode());
  for (const auto& [page, row] : group_.discovered) {
    batch.Put(store::Table::kPage, KeyOf(page), Encode(row));
    if (tell_discovery_) tell_discovery_(page, row);
  }
  AddRows(batch);
  if (tell_arrived_ && !group_.moved.empty()) tell_arrived_();
  for (auto& [key, row] : group_.notes) {
    if (row) {
      batch.Put(store::Table::kMeta, std::move(key), *std::move(row));
    } else {
      batch.Delete(store::Table::kMeta, std::move(key));
    }
  }
  peers_.WriteTo(batch);
  delivery_.held().WriteTo(batch);
  restating_.WriteTo(batch);
  persistence_.Append(record, batch);
  return batch;
}

// Rows leave the store with their shards.
void Ledger::KeepRows() {
  if (!group_.departures.empty()) return kept_.Forget();
  for (auto& [page, changed] : group_.rows) kept_.Keep(std::move(changed.handle));
}

absl::StatusOr<uint64_t> Ledger::Commit() {
  OPIC_CHECK(!options_.read_only) << "commit to a ledger opened for reading";
  RETURN_IF_ERROR(failed_);
  if (complete_) failed_ = complete_();
  RETURN_IF_ERROR(failed_);
  JournalRecord record = CloseRecord();
  if (NothingToWrite(record)) return log_number();
  OPIC_CHECK(books_.Balanced()) << "the node's equation does not hold before record "
                                << log_number() + 1;
  CheckPages(record);
  const store::Batch batch = BatchOf(record);
  failed_ = base::WithContext(store_.Write(batch, store::Sync::kYes), "writing a commit group");
  RETURN_IF_ERROR(failed_);
  persistence_.Appended(std::move(record.after));
  KeepRows();
  group_.Clear();
  peers_.Committed();
  moves_.Committed();
  delivery_.held().Committed();
  restating_.Committed();
  OPIC_CHECK(NothingToWrite(JournalRecord())) << "a commit group that leaves something unwritten";
  charter_outdated_ = false;
  return log_number();
}

absl::Status Ledger::Checkpoint(bool all) {
  RETURN_IF_ERROR(failed_);
  if (!all && !persistence_.CheckpointDue(books_.table(), all)) return absl::OkStatus();
  OPIC_CHECK(group_.empty()) << "checkpoint inside a commit group";
  OPIC_CHECK(!options_.read_only) << "checkpoint of a ledger opened for reading";
  OPIC_CHECK(books_.Balanced()) << "the node's equation does not hold at a checkpoint";
  // A release before must not take the files for its own.
  if (charter_outdated_ && persistence_.CheckpointDue(books_.table(), all)) {
    store::Batch batch;
    batch.Put(store::Table::kMeta, kCharterKey, charter_.Encode());
    failed_ = base::WithContext(store_.Write(batch, store::Sync::kYes), "writing the charter");
    RETURN_IF_ERROR(failed_);
    charter_outdated_ = false;
  }
  failed_ = persistence_.Checkpoint(books_.table(), all);
  return failed_;
}

}  // namespace opic::ledger
