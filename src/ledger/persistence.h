// What a ledger is recovered from: the journal in the store, and the checkpoints of its shards.
// Records are appended with the write of their commit group; checkpoints are written now and then,
// and let the journal be trimmed; at the next start both are loaded and brought together.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ledger/books.h"
#include "ledger/charter.h"
#include "ledger/checkpoint.h"
#include "ledger/checkpoint_backlog.h"
#include "ledger/checkpoint_round.h"
#include "ledger/journal.h"
#include "ledger/options.h"
#include "ledger/trim_note.h"
#include "store/store.h"

namespace opic::ledger {

class Persistence {
 public:
  // `charter` and `store` must outlive it.
  Persistence(const Options& options, const Charter& charter, store::Store& store);

  // DataLoss, in these words, when there are rows or checkpoints: a folder that lost its charter,
  // or all its journal, is not empty.
  absl::Status ExpectNothing(std::string_view otherwise) const;
  // Loads the checkpoints into the table of `books` and replays what the journal has beyond them.
  // DataLoss: one of them is damaged, or they do not fit each other.
  absl::StatusOr<RecoveryReport> Load(Books& books);

  // Makes the folder of checkpoints, if the options name one. To be called when what there is was
  // loaded, and before the first Checkpoint.
  absl::Status BeginWriting();
  // The next record goes into the journal with `batch`.
  void Append(const JournalRecord& record, store::Batch& batch);
  // `batch` was written: the record is the journal's last one now.
  void Appended(Balances after);

  // Whether one is under way, or should be begun; with `all`, whether any shard lacks one.
  bool CheckpointDue(const page_table::PageTable& table, bool all) const;
  // Goes on with the checkpoints under way, or begins those that are due next (Options::save); with
  // `all` writes those of every shard that changed before it returns. Trims the journal. What is
  // copied and written beside is waited for only when the journal has become far too long
  // meanwhile. R4: REQUIRES that `table` is as the last record left it.
  absl::Status Checkpoint(page_table::PageTable& table, bool all);

  uint64_t log_number() const { return log_number_; }  // of the last record; 0: there is none
  const Balances& balances() const { return last_; }   // after the last record

 private:
  absl::Status LoadCheckpoints(page_table::PageTable& table, RecoveryReport& report);
  absl::Status CheckTrimmed(const TrimNote& note) const;
  absl::Status ReplayJournal(Books& books, RecoveryReport& report);
  absl::Status CheckPositions() const;
  absl::Status SaveNow(const page_table::PageTable& table, const std::vector<ShardId>& shards);
  // Those whose checkpoints are to be written next, together; none when nothing lacks.
  std::vector<ShardId> ShardsToSave(const page_table::PageTable& table) const;
  void BeginRound(page_table::PageTable& table);
  absl::Status EndRound();
  absl::Status Trim();

  const SaveCheckpoints save_;
  const uint64_t copied_at_once_;  // bytes
  const Charter& charter_;
  store::Store& store_;
  std::optional<Checkpoints> checkpoints_;  // none: the options name no folder
  CheckpointBacklog backlog_;
  uint64_t journal_begin_ = 1;  // the first log number kept
  uint64_t log_number_ = 0;
  Balances last_;
  std::optional<CheckpointRound> round_;  // under way; its thread uses checkpoints_
};

}  // namespace opic::ledger
