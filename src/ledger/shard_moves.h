// Shards that leave this node and arrive at it (docs/decisions/2026-11-21-shard-moves.md).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ledger/charter.h"
#include "ledger/delivery.h"
#include "ledger/options.h"
#include "ledger/peers.h"
#include "ledger/restate_duty.h"
#include "store/store.h"

namespace opic::ledger {

// A shard that has arrived whole.
struct ArrivedShard {
  ShardId shard;
  // What its last owner gave to Depart; empty also when that node was lost in the middle of the
  // move, so nothing is known of the hosts.
  std::string hosts;
};

class ShardMoves {
 public:
  // All must outlive it.
  ShardMoves(const Options& options, const Charter& charter, const importance::Window& window,
             store::Store& store, Books& books, Peers& peers, Accounting& accounting,
             Placements& placements, Delivery& delivery, RestateDuty& restating,
             CommitGroup& group);

  // An operator's act: the shard goes to another node. It leaves table and store with the next
  // commit, whole, and travels in the batches of the channel; from here on another node owns it,
  // and what still arrives for it is posted on. `hosts` is given to the receiver's caller with the
  // end mark, at most kHostsBytesMax. The write is as large as the shard: some 170 bytes a page, in
  // memory three times for a while. REQUIRES: an empty group.
  // FailedPrecondition: the shard is not workable here, or `to` is no peer; Unavailable: too much
  // waits for `to` already (departure_outbox_bytes_max); InvalidArgument: `hosts` is too long;
  // DataLoss: rows and table do not agree. Nothing was done then.
  absl::Status Depart(ShardId shard, NodeId to, std::string_view hosts);
  static constexpr size_t kHostsBytesMax = 1 << 20;
  // Whether pages of the shard may be ordered, visited, settled and departed: it is owned and whole
  // on disk, its hosts were taken over (HostsApplied), and a folder that replaces a lost one has
  // met all its peers, so that it knows what was moved away before.
  bool Workable(ShardId shard) const { return knows_moves_ && placements_.Workable(shard); }
  // What has arrived whole, as of the last commit, and was not taken since opening. Reported again
  // by the next process until HostsApplied.
  std::vector<ArrivedShard> TakeArrived();
  // The caller has the hosts on disk that TakeArrived gave it. Written with the next group; the
  // shard is workable from then on.
  void HostsApplied(ShardId shard);

  // Pages that arrive, and shards that leave, with the present group.
  absl::Span<const MovedPage> arriving() const { return group_.moved; }
  absl::Span<const std::pair<NodeId, std::vector<ShardChunk>>> leaving() const {
    return group_.chunks;
  }

  // What peers reported of moves that were completed. For each shard the highest number holds. A
  // shard that this node owns and somebody else with a higher number (a folder that replaces a lost
  // one learns so what was moved before) is surrendered: its pages are paid to the owner and
  // forgotten. REQUIRES: an empty group if anything of it IsNews. An error is one of reading.
  absl::Status Learn(absl::Span<const Placement> announced);
  bool IsNews(absl::Span<const Placement> announced) const;
  // Moves that were completed, as known here on disk; `since` 0: all, else those that became known
  // after Placements::changes() was `since`.
  std::vector<Placement> PlacementsSince(uint64_t since) const;

  // --- For the ledger.

  // DataLoss: a row is damaged.
  absl::Status Load();
  absl::Status CheckChunk(const ShardChunk& chunk) const;
  void TakeChunk(NodeId from, const ShardChunk& chunk);
  // A peer's folder was lost: the rest of what was arriving from it will never come.
  void SenderWasLost(NodeId peer);
  void WriteTo(store::Batch& batch) const;
  void Committed();

 private:
  absl::Status MayDepart(ShardId shard, NodeId to, std::string_view hosts) const;
  absl::StatusOr<std::vector<MovedPage>> PagesOf(ShardId shard) const;
  absl::Status Surrender(ShardId shard);
  // The shard's pages are no longer here: table, counts, journal.
  void Forget(ShardId shard, const RowSums& rows);
  // What rows add up to. DataLoss: one is damaged.
  absl::StatusOr<RowSums> SumsOf(const std::vector<MovedPage>& pages) const;
  bool IsStale(NodeId from, const ShardChunk& chunk) const;
  void PostStale(const ShardChunk& chunk);
  void EndArrival(ShardId shard, std::string hosts);

  const Options& options_;
  const Charter& charter_;
  const importance::Window& window_;
  store::Store& store_;
  Books& books_;
  Peers& peers_;
  Accounting& accounting_;
  Placements& placements_;
  Delivery& delivery_;
  RestateDuty& restating_;
  CommitGroup& group_;
  // What was moved before is known here: always so in the cluster's first folder of this node, and
  // after all peers were met in a later one.
  bool knows_moves_;
  std::vector<ShardId> arrivals_announced_;  // by TakeArrived, hosts not applied
};

}  // namespace opic::ledger
