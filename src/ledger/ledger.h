// The ledger of one node: exactly once, to the unit (docs/design.md section 5; paper sections 2
// and 3.3).
//
//   ledger->Record(visits);   // pages fetched: cash paid along the links just found
//   ledger->Settle(pages);    // pages visited without a fetch: cash paid along the kept links
//   auto n = ledger->Commit();  // one atomic, synced write: rows, new pages, journal record n
//
// In a cluster the ledger of a node holds the books of its own shards. Cash for a page of another
// node is sealed in a batch of the same write (rule R1: it may be sent once Commit has returned),
// and what peers sent is applied with Receive, their watermark in the same write (R3).
//
// Invariant after every Commit, the node's equation: cells of the table + the virtual page = own
// genesis + received - sealed. Everything between two commits is one commit group. When Commit
// fails the books in memory are ahead of the disk: every later Commit and Checkpoint fails too, and
// the process must end and recover.
//
// Recovery loads the checkpoints and replays the journal; it needs nobody else. What it finds
// damaged it refuses.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ledger/accounting.h"
#include "ledger/books.h"
#include "ledger/charter.h"
#include "ledger/cluster_view.h"
#include "ledger/commit_group.h"
#include "ledger/delivery.h"
#include "ledger/journal.h"
#include "ledger/options.h"
#include "ledger/peers.h"
#include "ledger/persistence.h"
#include "ledger/placements.h"
#include "ledger/restate_duty.h"
#include "ledger/sealing.h"
#include "ledger/shard_moves.h"
#include "ledger/transfer.h"
#include "ledger/visits.h"
#include "store/store.h"

namespace opic::ledger {

// What became of a received batch.
enum class Receipt : uint8_t {
  kTaken,     // it is in the present group
  kRepeated,  // it was applied before
  kAhead,     // one before it is missing; nothing was done
};

class Ledger {
 public:
  // Opens what `store` holds, or with `wanted` makes the genesis in an empty one. Store and
  // checkpoints are only read before all of it was found sound (Store::BeginWriting). `store` must
  // outlive the ledger. NotFound: empty and no `wanted`; InvalidArgument: `wanted` cannot be;
  // FailedPrecondition: `wanted` differs from the charter, another cluster or version; DataLoss:
  // damaged.
  static absl::StatusOr<std::unique_ptr<Ledger>> Open(const Options& options, store::Store& store,
                                                      const Charter* wanted);

  // The charter of what `store` holds; nothing in an empty store.
  static absl::StatusOr<std::optional<Charter>> StoredCharter(store::Store& store);

  // Discovers pages that nobody links to yet. In the same group the virtual page pays each of them
  // an even share of what it can pay. Known ones stay as they are.
  void Seed(absl::Span<const Link> pages) { visits_.Seed(pages); }
  // REQUIRES: every page is known since an earlier group. A page visited twice in a group pays
  // nothing the second time. An error of Record and Settle is one of reading: nothing was recorded.
  absl::Status Record(absl::Span<const Visit> visits) { return visits_.Record(visits); }
  // The importance, as share of 1, of a page that was visited in the present group, without what
  // the group pays to it; nothing: it was not visited.
  std::optional<double> RecordedImportance(PageId page) const;
  // Adds a row of the caller's to Table::kMeta, in the same write as the group; nothing: deletes
  // it. It is no reason to write a group. REQUIRES: visits in the group, or pages that move.
  void Note(std::string key, std::optional<std::string> row) {
    group_.notes.emplace_back(std::move(key), std::move(row));
  }
  // Visits pages that need no fetch. REQUIRES: done pages. `planned`: what each of them is to pay
  // and to record (importance/payment_plan.h); what it does not have it owes itself. None: each its
  // cash, and what the accounting adds. REQUIRES: Accounting::PaysByPlan, with a plan.
  absl::Status Settle(absl::Span<const PageId> pages, absl::Span<const cash::Amount> planned = {}) {
    return visits_.Settle(pages, planned);
  }
  // Corrects the cash of pages that is off by what the equation says (Equation, Restating); the
  // virtual page pays and takes it. What is missing on a page of this node that is not known yet is
  // held for it. How many pages are of other nodes by now, and stay as they are.
  size_t Correct(absl::Span<const Drift> drifts) { return delivery_.Correct(drifts); }
  // Whoever is to hear of the pages of this node that become known by links, with the commit that
  // writes them: it may read the ledger. Pages that arrive with their shards are not told.
  void TellDiscoveries(std::function<void(PageId, const PageRow&)> told) {
    tell_discovery_ = std::move(told);
  }
  // Whoever is to hear of the rows of Table::kHistory, with the commit that writes them: of those
  // of visits one by one; of those that came with shards, that there are some.
  void TellRows(std::function<void(PageId, const HistoryRow&)> visited,
                std::function<void()> arrived) {
    tell_visited_ = std::move(visited);
    tell_arrived_ = std::move(arrived);
  }
  // Whoever has more to Note of a group: is called once for each, at the beginning of Commit.
  void CompleteGroups(std::function<absl::Status()> complete) { complete_ = std::move(complete); }
  // Makes done pages unread again (a wider scope, another round). REQUIRES: every page is known.
  void Reopen(absl::Span<const PageId> pages) { visits_.Reopen(pages); }

  // Applies what a peer sealed. An unknown page without a URL is paid to the virtual page and
  // counted; cash for a page of another node is posted on to it. FailedPrecondition: the batch does
  // not fit the channel (another cluster, sums that do not meet); nothing was done.
  absl::StatusOr<Receipt> Receive(const TransferBatch& batch);
  // The peer has on disk everything up to `sequence`: the batches are dropped with the next write.
  // FailedPrecondition: they were never sealed.
  absl::Status Acknowledge(NodeId peer, uint64_t sequence) {
    return peers_.Acknowledge(peer, sequence);
  }
  // What a peer reports about itself. Its clocks never fall.
  void Hear(NodeId peer, const NodeSums& sums) { peers_.Hear(peer, sums); }
  // The folder at the other end of the channel, learnt from its first Hello. Written with the next
  // group. REQUIRES: it was not met before.
  void Meet(NodeId peer, uint32_t generation, uint64_t birth) {
    peers_.Meet(peer, generation, birth);
  }
  // Now and then: what the virtual page owes the reachable peers (VirtualShares) is sealed with the
  // next commit. A batch that goes to a peer in between carries what it is owed, too.
  void ShareVirtualPage(absl::FunctionRef<bool(NodeId)> reachable) {
    sealing_.ShareVirtualPage(reachable);
  }
  // An operator's act: the peer's data folder is lost, and one of the next generation takes its
  // place. What it had not acknowledged is sealed anew. Written with the next group.
  absl::Status BeginAnew(NodeId peer, uint32_t generation);

  // Shards that leave and arrive. Those that are arriving (Placements::arriving) have their pages
  // in the table, counted and paid by the virtual page; they must not be visited.
  ShardMoves& moves() { return moves_; }
  const ShardMoves& moves() const { return moves_; }
  // Where every shard is, as known here, with the present group's changes.
  const Placements& placements() const { return placements_; }

  // Takes this node's part of a consistent cut: what it holds and what passed its channels up to
  // here. Batches sealed from now on carry the epoch, and whoever meets a later epoch enters it
  // before anything else. REQUIRES: an empty group, an epoch later than before.
  void EnterEpoch(uint64_t epoch);
  // An operator's act, against an epoch past all use: this node is in epoch `epoch` at most, of
  // which it has no cut, and what waits for its peers tells no later one. No cash moves, and no
  // number of a batch changes. How many batches were rewritten. REQUIRES: an empty group, and
  // nothing sealed that was not taken.
  absl::StatusOr<uint64_t> LowerEpoch(uint64_t epoch);
  uint64_t epoch() const { return cut_.epoch; }
  const Cut& cut() const { return cut_; }

  RestateDuty& restating() { return restating_; }
  const RestateDuty& restating() const { return restating_; }
  // How far the ranking is off, at most (Accounting::ErrorBound); 2, which is no bound at all,
  // while restating is due.
  double ErrorBound() const { return restating_.due() ? 2 : accounting_->ErrorBound(); }
  bool Converged(double error) const { return !restating_.due() && accounting_->Converged(error); }

  // The graph stands still from here on: nothing is left to fetch. With windows what was earned
  // before no longer counts in the estimates (importance::Window, origin).
  void GraphStandsStill() { accounting_->GraphStandsStill(); }

  // Ends the group: pays its credits and the instalments that are due, and writes it. The record's
  // log number, or the last one when there was nothing to write.
  absl::StatusOr<uint64_t> Commit();
  // What Commit sealed since the last call, in the order of sequence numbers. Without a call it
  // gathers.
  std::vector<SealedBatch> TakeSealed() { return peers_.TakeSealed(); }
  // A sealed batch from the store. NotFound: acknowledged, or never sealed; DataLoss: damaged.
  absl::StatusOr<std::string> SealedBytes(NodeId to, uint64_t sequence) const;

  // Writes the checkpoints of some shards when they are due (about two megabytes, or one large
  // shard) as Options::save says, or, with `all`, of every shard that changed before it returns.
  // Trims the journal. REQUIRES: an empty group.
  absl::Status Checkpoint(bool all);

  const Charter& charter() const { return charter_; }
  // What history rows are read and written with.
  const importance::Window& window() const { return window_; }
  // The ranking.
  const Accounting& accounting() const { return *accounting_; }
  const Books& books() const { return books_; }
  // For marking pages as ordered and for walks; cash moves only through the ledger.
  page_table::PageTable& table() { return books_.table(); }
  // The other nodes of the cluster: the books of their channels and what they reported.
  const Peers& peers() const { return peers_; }
  // The cluster, as known here: this node and what its peers reported last.
  const ClusterView& cluster() const { return view_; }
  uint16_t nodes() const { return options_.nodes; }  // of the cluster, this one too
  // What this node would tell a peer now; `idle` is the caller's to fill in.
  NodeSums Sums() const { return sealing_.Sums(); }
  const HeldCash& held() const { return delivery_.held(); }
  const Balances& balances() const { return persistence_.balances(); }  // after the last commit
  uint64_t log_number() const { return persistence_.log_number(); }
  const RecoveryReport& recovery() const { return recovery_; }
  const Counts& counts() const { return counts_; }

 private:
  Ledger(const Options& options, store::Store& store, const Charter& charter);

  absl::Status OpenFolder(bool stored);

  // Ending a group (commit.cc).
  bool NothingToWrite(const JournalRecord& record) const;
  void CheckPages(const JournalRecord& record) const;
  JournalRecord CloseRecord();
  store::Batch BatchOf(const JournalRecord& record);
  void AddRows(store::Batch& batch) const;
  void KeepRows();

  const Options options_;
  store::Store& store_;
  const Charter charter_;
  const importance::Window window_;

  Books books_;
  Peers peers_;
  const ClusterView view_;
  const std::unique_ptr<Accounting> accounting_;
  Placements placements_;
  Cut cut_;
  CommitGroup group_;
  KeptRows kept_;
  Counts counts_;

  std::function<absl::Status()> complete_;                       // null: nobody
  std::function<void(PageId, const PageRow&)> tell_discovery_;   // likewise
  std::function<void(PageId, const HistoryRow&)> tell_visited_;  // likewise
  std::function<void()> tell_arrived_;                           // likewise

  // Parts that fill the group. Each names what it works on.
  Delivery delivery_;
  Visits visits_;
  Sealing sealing_;
  RestateDuty restating_;
  ShardMoves moves_;

  absl::Status failed_;    // of the first Commit that failed
  bool charter_outdated_;  // is to be written in the present format, before all else or with it
  Persistence persistence_;
  RecoveryReport recovery_;
};

}  // namespace opic::ledger
