// The ledger of one node: exactly once, to the unit (DESIGN section 5; paper sections 2 and 3.3).
//
//   ledger->Record(visits);             // pages fetched: cash paid along the links just found
//   ledger->Settle(pages);              // pages visited without a fetch: cash paid along the kept
//   links auto log_number = ledger->Commit();  // one atomic, synced write: rows, new pages,
//   journal record
//
// Invariant after every Commit: cells of the table + the virtual page = the supply. Everything
// between two commits is one commit group. When Commit fails the books in memory are ahead of the
// disk: the process must end and recover.
//
// Recovery loads the checkpoints and replays the journal; it needs nobody else. What it finds
// damaged it refuses.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "importance/newcomers.h"
#include "ledger/books.h"
#include "ledger/charter.h"
#include "ledger/checkpoint.h"
#include "ledger/journal.h"
#include "ledger/rows.h"
#include "ledger/virtual_page.h"
#include "store/store.h"

namespace opic::ledger {

struct Options {
  std::string checkpoint_folder;  // empty: no checkpoints, everything is replayed
  bool read_only = false;         // a look at a folder at rest; nothing may be recorded
  double unread_share = 0;        // VirtualPage
  uint64_t shard_journal_bytes_min = 256 << 10;  // a shard is not checkpointed for less
  uint64_t journal_bytes_max = 256 << 20;  // above this the longest unsaved shard is checkpointed
};

struct Link {
  PageId page;
  std::string url;
};

// The outcome of a fetch, or the decision that there is none.
struct Visit {
  PageId page;
  VisitKind kind = VisitKind::kFetched;
  uint16_t http_status = 0;
  std::vector<Link> links;  // distinct; kFetched and kRedirect only
  int64_t at = 0;           // Unix seconds; 0: no request was made
  uint64_t content_hash = 0;
  std::string etag, last_modified;
};

struct RecoveryReport {
  uint64_t pages = 0, checkpoints = 0, checkpoint_bytes = 0;
  uint64_t records_replayed = 0, last_log_number = 0;
};

class Ledger {
 public:
  // Opens what `store` holds, or with `wanted` makes the genesis in an empty one. `store` must
  // outlive the ledger. NotFound: empty and no `wanted`; FailedPrecondition: `wanted` differs from
  // the charter, another cluster or version; DataLoss: damaged.
  static absl::StatusOr<std::unique_ptr<Ledger>> Open(const Options& options, store::Store& store,
                                                      const Charter* wanted);

  // Discovers pages that nobody links to yet; the virtual page owes them their first instalment.
  // Known ones stay.
  void Seed(absl::Span<const Link> pages);
  // Every page must be known. A page visited twice in a group pays nothing the second time.
  absl::Status Record(absl::Span<const Visit> visits);
  // Pages that need no fetch. REQUIRES: done pages.
  absl::Status Settle(absl::Span<const PageId> pages);
  // Makes done pages unread again (a wider scope, another round).
  void Reopen(absl::Span<const PageId> pages);

  // Ends the group. The record's log number, or the last one when the group is empty.
  absl::StatusOr<uint64_t> Commit();
  size_t group_size() const { return group_.visits.size(); }

  // Writes a checkpoint when one is due (at most one a call), or, with `all`, of every shard that
  // changed. Trims the journal. REQUIRES: an empty group.
  absl::Status Checkpoint(bool all);

  const Charter& charter() const { return charter_; }
  const importance::Window& window() const { return window_; }
  const Books& books() const { return books_; }
  // For marking pages as ordered and for walks; cash moves only through the ledger.
  page_table::PageTable& table() { return books_.table(); }
  const Balances& balances() const { return last_; }  // after the last commit
  uint64_t log_number() const { return log_number_; }
  const RecoveryReport& recovery() const { return recovery_; }
  uint64_t settled() const { return settled_; }  // since opening
  uint64_t collisions() const {
    return collisions_;
  }  // URLs seen with the id of another one, since opening

 private:
  Ledger(const Options& options, store::Store& store, const Charter& charter);
  absl::Status Genesis();
  absl::Status Recover();
  absl::Status Replay(uint64_t log_number, const JournalRecord& record,
                      const std::vector<uint64_t>& positions);
  absl::Status CheckRecovered(const std::vector<uint64_t>& positions) const;

  // The rows of `pages` as they stand in this group.
  absl::StatusOr<std::vector<HistoryRow>> RowsOf(absl::Span<const PageId> pages);
  void Discover(absl::Span<const Link> links, PageId from, uint32_t depth);
  void Pay(PageId page, HistoryRow& row, bool settled);
  void CountKind(const HistoryRow& row, VisitKind now);
  std::vector<page_table::Credit> MergedCredits();
  JournalRecord CloseRecord();
  store::Batch BatchOf(const JournalRecord& record);
  absl::Status CheckpointShard(ShardId shard);
  absl::Status Trim();

  const Options options_;
  store::Store& store_;
  const Charter charter_;
  const importance::Window window_;
  Books books_;
  VirtualPage virtual_page_;
  importance::Newcomers newcomers_;
  std::unique_ptr<Checkpoints> checkpoints_;

  // The commit group that is being filled.
  struct Group {
    std::vector<JournalVisit> visits;
    std::vector<page_table::Credit> credits;
    std::vector<PageId> reopened;
    absl::flat_hash_map<PageId, PageRow> discovered;
    absl::flat_hash_map<PageId, HistoryRow> rows;
    bool fetched = false;  // a fetch is among the visits
  };
  Group group_;

  uint64_t log_number_ = 0;
  Balances last_;
  std::array<uint64_t, kVisitKinds> by_kind_{};
  cash::Sum fetch_clock_ = 0;
  uint64_t settled_ = 0, collisions_ = 0;
  RecoveryReport recovery_;

  // What the checkpoints hold, by shard.
  struct Unsaved {
    uint64_t position = 0;       // of the shard's checkpoint, 0: none
    uint64_t last_touched = 0;   // last log number that changed the shard
    uint64_t journal_bytes = 0;  // of the shard, since the checkpoint
  };
  std::vector<Unsaved> unsaved_;
  uint64_t unsaved_bytes_ = 0;
  uint64_t journal_begin_ = 1;  // first log number kept
};

}  // namespace opic::ledger
