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

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ledger/accounting.h"
#include "ledger/backlog.h"
#include "ledger/books.h"
#include "ledger/charter.h"
#include "ledger/checkpoint.h"
#include "ledger/cluster_view.h"
#include "ledger/drift.h"
#include "ledger/held_cash.h"
#include "ledger/journal.h"
#include "ledger/peer_book.h"
#include "ledger/peers.h"
#include "ledger/placements.h"
#include "ledger/restating.h"
#include "ledger/rows.h"
#include "ledger/told_pages.h"
#include "ledger/transfer.h"
#include "ledger/trim_note.h"
#include "ledger/visit.h"
#include "store/store.h"

namespace opic::ledger {

struct Options {
  std::string checkpoint_folder;  // empty: no checkpoints, everything is replayed
  bool read_only = false;         // a look at a folder at rest; nothing may be recorded
  double unread_share = 0;        // VirtualPage
  // A shard is checkpointed when its own part of the journal is above this and a tenth of its size.
  uint64_t shard_journal_bytes_min = 256 << 10;
  // Above this, and a quarter of the table, the shards that were not checkpointed for longest are.
  uint64_t journal_bytes_max = 64 << 20;
  uint32_t checkpoint_shards_max = 64;      // written together
  uint64_t instalment_pages_max = 1 << 20;  // a larger shard gets its instalments in parts
  // Of a cluster: which node owns a shard by its map, before any move. Empty: this one owns all.
  std::function<NodeId(ShardId)> owner;
  uint16_t nodes = 1;
  size_t batch_bytes_max = 1 << 20;  // of a sealed batch; one transfer may be longer
  // While more than this waits for a peer, no shard departs to it.
  uint64_t departure_backlog_bytes_max = 256 << 20;
};

// What became of a received batch.
enum class Receipt : uint8_t {
  kTaken,     // it is in the present group
  kRepeated,  // it was applied before
  kAhead,     // one before it is missing; nothing was done
};

// A shard that has arrived whole.
struct ArrivedShard {
  ShardId shard;
  // What its last owner gave to Depart; empty also when that node was lost in the middle of the
  // move, so nothing is known of the hosts.
  std::string hosts;
};

// A move that this node began and whose end mark the receiver has not acknowledged.
struct DepartingShard {
  ShardId shard;
  NodeId to;
  uint64_t move = 0;
  // Of the batches that carry it and wait for acknowledgement.
  uint64_t batches = 0, bytes = 0;
};

struct RecoveryReport {
  uint64_t pages = 0, checkpoints = 0, checkpoint_bytes = 0;
  uint64_t records_replayed = 0, last_log_number = 0;
};

// Table::kMeta: a folder of the cluster was lost, and the pages here were not restated since.
inline constexpr char kRestateDueKey[] = "restate";
inline constexpr char kRoundingsKey[] = "roundings";

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
  void Seed(absl::Span<const Link> pages);
  // REQUIRES: every page is known since an earlier group. A page visited twice in a group pays
  // nothing the second time. An error of Record and Settle is one of reading: nothing was recorded.
  absl::Status Record(absl::Span<const Visit> visits);
  // Visits pages that need no fetch. REQUIRES: done pages.
  absl::Status Settle(absl::Span<const PageId> pages);
  // Corrects the cash of pages that is off by what the equation says (Equation, Restating); the
  // virtual page pays and takes it. What is missing on a page of this node that is not known yet is
  // held for it. How many pages are of other nodes by now, and stay as they are.
  size_t Correct(absl::Span<const Drift> drifts);
  // Makes done pages unread again (a wider scope, another round). REQUIRES: every page is known.
  void Reopen(absl::Span<const PageId> pages);

  // Applies what a peer sealed. An unknown page without a URL is paid to the virtual page and
  // counted; cash for a page of another node is posted on to it. FailedPrecondition: the batch does
  // not fit the channel (another cluster, sums that do not meet); nothing was done.
  absl::StatusOr<Receipt> Receive(const TransferBatch& batch);
  // The peer has on disk everything up to `sequence`: the batches are dropped with the next write.
  // FailedPrecondition: they were never sealed.
  absl::Status Acknowledge(NodeId peer, uint64_t sequence);
  // What a peer told about itself. Its clocks never fall.
  void Hear(NodeId peer, const NodeNews& news) { peers_.Hear(peer, news); }
  // The folder at the other end of the channel, learnt from its first Hello. Written with the next
  // group. REQUIRES: it was not met before.
  void Meet(NodeId peer, uint32_t generation, uint64_t birth) {
    peers_.Meet(peer, generation, birth);
  }
  // Now and then: what the virtual page owes the reachable peers (VirtualShares) is sealed with the
  // next commit. A batch that goes to a peer in between carries what it is owed, too.
  void ShareVirtualPage(absl::FunctionRef<bool(NodeId)> reachable);
  // An operator's act: the peer's data folder is lost, and one of the next generation takes its
  // place. What it had not acknowledged is sealed anew. Written with the next group.
  absl::Status BeginAnew(NodeId peer, uint32_t generation);

  // An operator's act: the shard goes to another node. It leaves table and store with the next
  // commit, whole, and travels in the batches of the channel; from here on Own is false and what
  // still arrives for it is posted on. `hosts` is told to the receiver's caller with the end mark,
  // at most kHostsBytesMax. The write is as large as the shard: some 170 bytes a page, in memory
  // three times for a while. REQUIRES: an empty group.
  // FailedPrecondition: the shard is not workable here, or `to` is no peer; Unavailable: too much
  // waits for `to` already (departure_backlog_bytes_max); InvalidArgument: `hosts` is too long;
  // DataLoss: rows and table do not agree. Nothing was done then.
  absl::Status Depart(ShardId shard, NodeId to, std::string_view hosts);
  static constexpr size_t kHostsBytesMax = 1 << 20;
  // Where the shard is, as known here, with the present group's changes.
  NodeId OwnerOf(ShardId shard) const { return placements_.OwnerOf(shard); }
  uint64_t move(ShardId shard) const { return placements_.move(shard); }
  // Whether pages of the shard may be ordered, visited, settled and departed: it is owned and whole
  // on disk, its hosts were taken over (HostsApplied), and a folder that replaces a lost one has
  // met all its peers, so that it knows what was moved away before.
  bool Workable(ShardId shard) const;
  // Shards whose rows are coming in. Their pages are in the table, counted and paid by the virtual
  // page, and must not be visited.
  std::vector<ShardId> arriving() const { return placements_.arriving(); }
  std::vector<DepartingShard> departing() const;
  // What has arrived whole, as of the last commit, and was not taken since opening. Told again by
  // the next process until HostsApplied.
  std::vector<ArrivedShard> TakeArrived();
  // The caller has the shard's hosts on disk. Written with the next group; the shard is workable
  // from then on.
  void HostsApplied(ShardId shard);

  // What peers told of moves that were completed. Of each shard the highest number holds. A shard
  // that this node owns and somebody else with a higher number (a folder that replaces a lost one
  // learns so what was moved before) is surrendered: its pages are paid to the owner and forgotten.
  // REQUIRES: an empty group if anything of it IsNews. An error is one of reading.
  absl::Status Learn(absl::Span<const Placement> told);
  bool IsNews(absl::Span<const Placement> told) const;
  // Moves that were completed, as known here on disk; `since` 0: all, else those that became known
  // after placement_changes() was `since`.
  std::vector<Placement> PlacementsSince(uint64_t since) const;
  uint64_t placement_changes() const { return placements_.changes(); }

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

  // The cut `epoch`, when it comes, is one to restate this node's pages at. What was prepared or
  // begun before is dropped. FailedPrecondition: by windows there is no equation; Aborted: a later
  // epoch has begun.
  absl::StatusOr<std::shared_ptr<Restating>> PrepareRestating(uint64_t epoch);
  // A folder of this cluster was lost, and the links of its pages are missing in the ranking until
  // all pages were fetched once more and restated (by windows: fetched).
  bool restate_due() const { return restate_due_; }
  void ForgetRestating() { restating_.reset(); }
  // All pages of this node were restated: it is no longer due, and what was rounded before the cut
  // is corrected. Written with the next group.
  void Restated();
  // How far the ranking is off, at most (Accounting::ErrorBound); 2, which is no bound at all, while
  // restating is due.
  double ErrorBound() const { return restate_due_ ? 2 : accounting_->ErrorBound(); }
  bool Converged(double error) const { return !restate_due_ && accounting_->Converged(error); }

  // The graph stands still from here on: nothing is left to fetch. With windows what was earned
  // before no longer counts in the estimates (importance::Window, origin).
  void GraphStandsStill() { accounting_->GraphStandsStill(); }

  // Ends the group: pays its credits and the instalments that are due, and writes it. The record's
  // log number, or the last one when there was nothing to write.
  absl::StatusOr<uint64_t> Commit();
  size_t group_size() const { return group_.visits.size(); }
  // What Commit sealed since the last call, in the order of sequence numbers. Without a call it
  // gathers.
  std::vector<SealedBatch> TakeSealed() { return peers_.TakeSealed(); }
  // A sealed batch from the store. NotFound: acknowledged, or never sealed; DataLoss: damaged.
  absl::StatusOr<std::string> SealedBytes(NodeId to, uint64_t sequence) const;

  // Writes the checkpoints of some shards when they are due (about a megabyte a call, or one large
  // shard), or, with `all`, of every shard that changed. Trims the journal. REQUIRES: an empty
  // group.
  absl::Status Checkpoint(bool all);

  const Charter& charter() const { return charter_; }
  // What history rows are read and written with.
  const importance::Window& window() const { return window_; }
  // The ranking.
  const Accounting& accounting() const { return *accounting_; }
  const Books& books() const { return books_; }
  // For marking pages as ordered and for walks; cash moves only through the ledger.
  page_table::PageTable& table() { return books_.table(); }
  // As of the last commit. REQUIRES: `peer` is another node of the cluster.
  const PeerBook& peer(NodeId peer) const { return peers_.book(peer); }
  // The same with what the present group does: whose folder the peer's is, and what it told last.
  const PeerBook& peer_now(NodeId peer) const { return peers_.working(peer); }
  // Whether `peer` is another node of the cluster, as far as this ledger was told.
  bool knows_of(NodeId peer) const { return peers_.Has(peer); }
  // Sealed and not acknowledged, oldest first.
  const std::deque<Retained>& retained(NodeId peer) const { return peers_.retained(peer); }
  uint64_t retained_bytes(NodeId peer) const { return peers_.BacklogOf(peer); }
  // What this node would tell a peer now; `idle` is the caller's to fill in.
  NodeNews News() const;
  // The cluster, as known here: this node and what its peers told last. G:
  cash::Sum clock() const { return view_.clock(); }
  uint64_t cluster_pages() const { return view_.pages(); }
  uint64_t cluster_unread() const { return view_.unread(); }
  cash::Sum cluster_table() const { return view_.table(); }  // cash on pages
  const Balances& balances() const { return last_; }         // after the last commit
  uint64_t log_number() const { return log_number_; }
  uint16_t nodes() const { return options_.nodes; }  // of the cluster, this one too
  const RecoveryReport& recovery() const { return recovery_; }
  uint64_t settled() const { return settled_; }  // since opening
  // URLs discovered in one group under the id of another one, since opening.
  uint64_t collisions() const { return collisions_; }
  // Received transfers to unknown pages that came without a URL, since opening.
  uint64_t unnamed() const { return unnamed_; }
  uint64_t held_pages() const { return held_.pages(); }  // that cash is held for
  std::vector<std::pair<PageId, cash::Amount>> held() const { return held_.All(); }
  uint64_t forwarded() const { return forwarded_; }  // transfers posted on, since opening
  const LinkCounts& links() const { return links_; }

 private:
  Ledger(const Options& options, store::Store& store, const Charter& charter);
  absl::Status OpenCheckpoints(bool create);
  absl::Status ExpectNothing(std::string_view otherwise) const;  // DataLoss, in these words
  absl::Status Genesis();
  void TakeOver(store::Batch& batch);
  absl::Status Recover();
  absl::Status LoadCheckpoints(const TrimNote& note);
  absl::Status ReplayJournal();
  absl::Status Replay(uint64_t log_number, const JournalRecord& record);
  absl::Status ReplayMoves(uint64_t log_number, const JournalRecord& record);
  absl::Status ReplayVisits(uint64_t log_number, const JournalRecord& record);
  absl::Status CheckRecovered() const;

  absl::StatusOr<std::vector<PageRow>> PageRowsOf(absl::Span<const PageId> pages) const;
  // Reads rows into the group, where they are not in it yet. `names` are the rows of the same pages
  // in Table::kPage; none: all of them were visited before.
  absl::Status OpenRows(absl::Span<const PageId> pages, absl::Span<const PageRow> names);
  void RecordOne(const Visit& visit, uint32_t depth);
  // How many of the links were new, or not told to their owners yet; their credits are the last of
  // the group.
  size_t Discover(absl::Span<const Link> links, std::optional<PageId> from, uint32_t depth);
  // A visit of a page that paid `before` until now: its cash goes to the links of `row`.
  void Pay(PageId page, HistoryRow& row, absl::Span<const PageId> before, bool settled);
  void CountKind(const HistoryRow& row, VisitKind now);
  bool Own(PageId page) const { return placements_.Owns(page.shard()); }
  bool AddPage(PageId page, const std::string& url, uint32_t depth);
  bool TellPage(PageId page, const std::string& url, uint32_t depth);
  void Take(const Transfer& transfer);  // of a received batch
  absl::Status MayDepart(ShardId shard, NodeId to, std::string_view hosts) const;
  absl::StatusOr<std::vector<MovedPage>> PagesOf(ShardId shard) const;
  absl::Status Surrender(ShardId shard);
  void PostHeld(ShardId shard);
  // The shard's pages are no longer here: table, counts, journal.
  void Forget(ShardId shard, const RowSums& rows);
  // What rows add up to. DataLoss: one is damaged.
  absl::StatusOr<RowSums> SumsOf(const std::vector<MovedPage>& pages) const;
  absl::Status CheckConsignment(NodeId from, const Consignment& consignment) const;
  bool IsStale(NodeId from, const Consignment& consignment) const;
  void PostStale(const Consignment& consignment);
  void TakeConsignment(NodeId from, const Consignment& consignment);
  void EndArrival(ShardId shard, std::string hosts);
  void BeginRestating();
  void SpoilRestating(const std::string& why);
  void SetRestateDue(bool due);
  void WriteRoundings(store::Batch& batch);
  absl::Status LoadRoundings();
  void CountUnderWay(const TransferBatch& batch);
  // Cash for an own page that is not known goes to the virtual page, at least until it is.
  void PayUnnamed(PageId page, cash::Amount amount);
  // Cash for an own page whose name has not arrived yet, because shards were moved.
  bool LacksName(PageId page) const;
  void WriteMoves(const JournalRecord& record, store::Batch& batch) const;
  void PayVirtualShare(NodeId peer);
  bool NothingToWrite(const JournalRecord& record) const;
  std::vector<page_table::Credit> MergedCredits();
  std::vector<page_table::Credit> SealForPeers(std::vector<page_table::Credit> credits);
  JournalRecord CloseRecord();
  Balances BalancesAfter(const JournalRecord& record) const;
  store::Batch BatchOf(const JournalRecord& record);
  absl::Status CheckpointShards(absl::Span<const ShardId> shards);
  absl::Status Trim();

  const Options options_;
  store::Store& store_;
  const Charter charter_;
  const importance::Window window_;
  Books books_;
  Peers peers_;
  const ClusterView view_;
  const std::unique_ptr<Accounting> accounting_;
  Placements placements_;
  HeldCash held_;
  std::shared_ptr<Restating> restating_;
  bool restate_due_ = false, restate_due_changed_ = false;
  page_table::Roundings roundings_at_cut_;
  uint64_t roundings_written_ = 0;  // credits that the store knows of
  ToldPages told_;                  // to the peers, by URL
  bool charter_outdated_;           // is to be written in the present format with the next commit
  // What was moved before is known here: always so in the cluster's first folder of this node, and
  // after all peers were met in a later one.
  bool knows_moves_;
  std::vector<ShardId> arrived_told_;  // by TakeArrived, hosts not applied
  std::unique_ptr<Checkpoints> checkpoints_;

  struct Name {
    std::string url;
    uint32_t depth = 0;
  };
  // The commit group that is being filled.
  struct Group {
    std::vector<JournalVisit> visits;
    std::vector<page_table::Credit> credits;
    std::vector<PageId> reopened;
    std::vector<Departure> departures;
    std::vector<std::pair<NodeId, std::vector<Consignment>>> consigned;
    std::vector<MovedPage> moved;  // arrived
    absl::flat_hash_map<PageId, PageRow> discovered;
    absl::flat_hash_map<PageId, Name> named;       // pages of peers that must be told by URL
    absl::flat_hash_map<PageId, HistoryRow> rows;  // of the visited pages
    bool fetched = false;                          // a fetch is among the visits
    bool empty() const {
      return visits.empty() && credits.empty() && reopened.empty() && departures.empty() &&
             moved.empty();
    }
  };
  Group group_;
  absl::Status failed_;  // of the first Commit that failed

  uint64_t log_number_ = 0;
  Balances last_;
  uint64_t settled_ = 0, collisions_ = 0, unnamed_ = 0, forwarded_ = 0;
  LinkCounts links_;
  Cut cut_;
  RecoveryReport recovery_;

  Backlog backlog_;
  uint64_t journal_begin_ = 1;  // first log number kept
};

}  // namespace opic::ledger
