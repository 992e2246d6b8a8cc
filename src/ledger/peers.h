// The peers of a node as its ledger sees them: their books, the batches they have not acknowledged,
// and what the present commit group changes of both.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ledger/charter.h"
#include "ledger/peer_book.h"
#include "ledger/transfer.h"
#include "store/store.h"

namespace opic::ledger {

// A batch that a commit has sealed.
struct SealedBatch {
  NodeId to;
  uint64_t sequence = 0;
  std::string bytes;
  bool names = false;  // tells the peer pages by URL
};

// A move that this node began and whose end mark the receiver has not acknowledged.
struct DepartingShard {
  ShardId shard;
  NodeId to;
  uint64_t move = 0;
  // How many batches carry it and wait for acknowledgement, and their bytes.
  uint64_t batches = 0, bytes = 0;
};

// Cash that passed channels.
struct Passed {
  cash::Sum received = 0, sealed = 0;
};

class Peers {
 public:
  // `nodes` counts this one too.
  Peers(NodeId self, uint16_t nodes, uint64_t cluster_id, size_t batch_bytes_max,
        importance::Method method);

  bool none() const { return peers_.size() <= 1; }
  bool Has(NodeId peer) const { return peer != self_ && peer.value < peers_.size(); }
  // As of the last commit. REQUIRES: Has(peer), here and below.
  // What ever came from peers and was sealed for them, by the books of all channels, on disk.
  Passed EverPassed() const;
  const PeerBook& book(NodeId peer) const { return peers_[peer.value].durable; }
  // With what the present group does to it.
  const PeerBook& working(NodeId peer) const { return peers_[peer.value].working; }
  // Sealed and not acknowledged, oldest first.
  const std::deque<Retained>& retained(NodeId peer) const { return peers_[peer.value].retained; }
  // Over what the peers reported last.
  NodeSums Total() const;  // sums; of fetch_clock and origin the largest

  // Every peer's folder was met, with what the present group does.
  bool MetAll() const;
  std::vector<DepartingShard> Departing() const;
  // Bytes that wait for the peer's acknowledgement.
  uint64_t OutboxBytesOf(NodeId peer) const { return peers_[peer.value].retained_bytes; }
  uint64_t bytes_sealed() const { return bytes_sealed_; }  // by this process, in all
  // Cash, without signs, that waits for the peers' acknowledgement.
  cash::Sum magnitude_under_way() const { return magnitude_under_way_; }

  // Reads books and outbox. DataLoss: they do not fit together.
  absl::Status Load(store::Store& store);

  // Within the present group:
  void Applied(const TransferBatch& batch);
  absl::Status Acknowledge(NodeId peer, uint64_t sequence);
  void Hear(NodeId peer, const NodeSums& sums);
  void Meet(NodeId peer, uint32_t generation, uint64_t birth);
  // This folder takes the place of lost ones of its node.
  void TakeOver(const LostChannel& lost);
  // The channel to a folder that was lost ends, and one to its successor begins: what was not
  // acknowledged is sealed anew for it. Nothing to do if the book is of this generation already.
  // Generations may be left out: this folder is younger than the ones between. FailedPrecondition:
  // the book is of a later one.
  absl::Status BeginAnew(NodeId peer, uint32_t generation, store::Store& store);
  // Batches not acknowledged that carry a later epoch than `most` carry that one instead: rewritten
  // on disk, with the same numbers and cash. How many. REQUIRES: not dirty.
  absl::StatusOr<uint64_t> LowerEpochs(uint64_t most, store::Store& store);
  // Adds cash for the peer's part of the virtual page to what is sealed next.
  void AddVirtualShare(NodeId peer, cash::Amount amount);
  // Seals transfers, sorted by page, into batches; the cash in them.
  cash::Sum Seal(NodeId peer, std::vector<Transfer> transfers, uint64_t epoch,
                 const NodeSums& sums);
  // Seals the pieces of a move, a batch each; the cash in them.
  cash::Sum SealChunks(NodeId peer, std::vector<ShardChunk> pieces, uint64_t epoch,
                       const NodeSums& sums);
  cash::Amount virtual_share(NodeId peer) const { return peers_[peer.value].to_virtual_page; }
  // Something must be written, although no cash moved here.
  bool dirty() const { return dirty_; }

  // Everything the group changed, to be written with it.
  void WriteTo(store::Batch& batch);
  void Committed();
  std::vector<SealedBatch> TakeSealed();

 private:
  struct Peer {
    PeerBook durable, working;
    std::deque<Retained> retained;
    uint64_t retained_bytes = 0;
    uint64_t dropped = 0;    // outbox rows up to here were deleted
    uint64_t abandoned = 0;  // rows up to here are of a folder that was lost
    cash::Amount to_virtual_page;
  };
  // A batch of the outbox. DataLoss, which names it: it is damaged or not there.
  static absl::StatusOr<TransferBatch> SealedOf(NodeId peer, uint64_t sequence,
                                                std::optional<std::string_view> bytes);
  uint16_t count() const { return static_cast<uint16_t>(peers_.size()); }
  TransferBatch NewBatch(NodeId peer, uint64_t epoch, const NodeSums& sums) const;
  void SealOne(NodeId peer, TransferBatch batch);
  void Retain(Peer& peer, const TransferBatch& batch, size_t bytes);

  const NodeId self_;
  const uint64_t cluster_id_;
  const size_t batch_bytes_max_;
  const importance::Method method_;
  std::vector<Peer> peers_;  // by number; the own one is not used
  std::vector<SealedBatch> sealed_;
  size_t sealed_before_ = 0;  // of sealed_, by earlier groups
  uint64_t bytes_sealed_ = 0;
  cash::Sum magnitude_under_way_ = 0;
  bool dirty_ = false;
};

}  // namespace opic::ledger
