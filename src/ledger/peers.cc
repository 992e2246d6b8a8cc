#include "ledger/peers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/damaged_folder.h"
#include "base/status_macros.h"

namespace opic::ledger {
namespace {

constexpr uint64_t kRowsDroppedMax = 1000;  // more are deleted as a range

absl::Status Damaged(NodeId peer, std::string_view what) {
  return base::DamagedFolder(
      absl::StrCat("the outbox to node ", peer.value, " ", std::string(what)));
}

// Of an encoded transfer, at most.
size_t BytesOf(const Transfer& transfer) {
  return 30 + transfer.url.size() + transfer.referrer.size();
}

Retained RetainedOf(const TransferBatch& batch, size_t bytes) {
  Retained retained{batch.sequence, bytes, batch.Carried(), batch.Magnitude()};
  if (batch.chunk) {
    retained.piece = {batch.chunk->shard, batch.chunk->move, batch.chunk->last};
  }
  return retained;
}

// Whether it makes the peer know pages that it may not have known.
bool TellsPages(const TransferBatch& batch) {
  return batch.chunk || std::any_of(batch.transfers.begin(), batch.transfers.end(),
                                    [](const Transfer& transfer) { return !transfer.url.empty(); });
}

// Few go at a time, each by its key: RocksDB sorts all ranges deleted lately anew for the first
// read after another one, and batches are read between their acknowledgements.
void DropSealed(NodeId peer, uint64_t dropped, uint64_t last, store::Batch& batch) {
  if (last > dropped + kRowsDroppedMax) {
    batch.DeleteRange(store::Table::kOutbox, KeyOfSealed(peer, dropped + 1),
                      KeyOfSealed(peer, last + 1));
    return;
  }
  for (uint64_t sequence = dropped + 1; sequence <= last; ++sequence) {
    batch.Delete(store::Table::kOutbox, KeyOfSealed(peer, sequence));
  }
}

}  // namespace

Peers::Peers(NodeId self, uint16_t nodes, uint64_t cluster_id, size_t batch_bytes_max,
             importance::Method method)
    : self_(self),
      cluster_id_(cluster_id),
      batch_bytes_max_(batch_bytes_max),
      method_(method),
      peers_(nodes) {}

NodeSums Peers::Total() const {
  NodeSums total;
  for (uint16_t n = 0; n < count(); ++n) {
    if (n == self_.value) continue;
    const NodeSums& sums = peers_[n].working.sums;
    total.clock += sums.clock;
    total.fetch_clock = std::max(total.fetch_clock, sums.fetch_clock);
    total.origin = std::max(total.origin, sums.origin);
    total.table += sums.table;
    total.virtual_page += sums.virtual_page;
    total.pages += sums.pages;
    total.unread += sums.unread;
    total.history += sums.history;
    total.read_cash += sums.read_cash;
    total.residual += sums.residual;
    total.reread += sums.reread;
    total.rounded += sums.rounded;
    total.unread_debt = total.unread_debt.value_or(0) + sums.unread_debt.value_or(0);
  }
  return total;
}

Passed Peers::EverPassed() const {
  Passed passed;
  for (uint16_t n = 0; n < count(); ++n) {
    if (!Has(NodeId{n})) continue;
    const PeerBook& book = peers_[n].durable;
    passed.received += book.applied_cash + book.closed_applied_cash;
    passed.sealed += book.sealed_cash + book.closed_sealed_cash;
  }
  return passed;
}

bool Peers::MetAll() const {
  for (uint16_t n = 0; n < count(); ++n) {
    if (n != self_.value && peers_[n].working.birth == 0) return false;
  }
  return true;
}

std::vector<DepartingShard> Peers::Departing() const {
  std::vector<DepartingShard> found;
  for (uint16_t n = 0; n < count(); ++n) {
    for (const Retained& batch : peers_[n].retained) {
      const Retained::Piece& piece = batch.piece;
      if (piece.move == 0) continue;
      // The pieces of one move follow each other.
      if (found.empty() || found.back().shard != piece.shard || found.back().move != piece.move) {
        found.push_back({piece.shard, NodeId{n}, piece.move});
      }
      ++found.back().batches;
      found.back().bytes += batch.bytes;
    }
  }
  return found;
}

absl::StatusOr<TransferBatch> Peers::SealedOf(NodeId peer, uint64_t sequence,
                                              std::optional<std::string_view> bytes) {
  if (!bytes) return Damaged(peer, absl::StrCat("lacks batch ", sequence));
  absl::StatusOr<TransferBatch> batch = DecodeTransferBatch(*bytes);
  if (!batch.ok()) return Damaged(peer, absl::StrCat("has batch ", sequence, " damaged"));
  return batch;
}

absl::Status Peers::Load(store::Store& store) {
  const std::unique_ptr<store::Cursor> books = store.Scan(store::Table::kPeer, "");
  for (; books->Valid(); books->Next()) {
    ASSIGN_OR_RETURN(const NodeId id, PeerOfKey(books->key()));
    if (!Has(id)) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the data folder has a channel to node ", id.value, ", which is not in the shard map"));
    }
    Peer& peer = peers_[id.value];
    absl::StatusOr<PeerBook> book = DecodePeerBook(books->value());
    if (!book.ok())
      return base::DamagedFolder(absl::StrCat("the book of node ", id.value, " cannot be read"));
    peer.durable = *std::move(book);
    peer.working = peer.durable;
    peer.dropped = peer.durable.acknowledged;
  }
  RETURN_IF_ERROR(books->status());

  const std::unique_ptr<store::Cursor> outbox = store.Scan(store::Table::kOutbox, "");
  for (; outbox->Valid(); outbox->Next()) {
    ASSIGN_OR_RETURN(const auto key, SealedOfKey(outbox->key()));
    const auto& [id, sequence] = key;
    if (!Has(id)) return Damaged(id, "is of a node that is not in the shard map");
    Peer& peer = peers_[id.value];
    if (sequence <= peer.durable.acknowledged) {
      peer.dropped = std::min(peer.dropped, sequence - 1);  // left behind; dropped with the next
      continue;
    }
    ASSIGN_OR_RETURN(const TransferBatch batch, SealedOf(id, sequence, outbox->value()));
    const uint64_t next = peer.durable.acknowledged + peer.retained.size() + 1;
    if (sequence != next || batch.sequence != next)
      return Damaged(id, absl::StrCat("lacks batch ", next));
    Retain(peer, batch, outbox->value().size());
  }
  RETURN_IF_ERROR(outbox->status());
  for (uint16_t n = 0; n < count(); ++n) {
    const Peer& peer = peers_[n];
    cash::Sum under_way = 0;
    for (const Retained& batch : peer.retained) under_way += batch.cash;
    if (peer.durable.acknowledged + peer.retained.size() != peer.durable.sealed) {
      return Damaged(NodeId{n}, "lacks the last batches");
    }
    if (peer.durable.acknowledged_cash + under_way != peer.durable.sealed_cash) {
      return Damaged(NodeId{n}, "does not have the sum of its book");
    }
  }
  return absl::OkStatus();
}

void Peers::Applied(const TransferBatch& batch) {
  PeerBook& book = peers_[batch.from.value].working;
  OPIC_CHECK(batch.sequence == book.applied + 1) << "a batch out of its order";
  OPIC_CHECK(batch.cash_before == book.applied_cash) << "a batch that does not continue the last";
  book.applied = batch.sequence;
  book.applied_cash = batch.cash_after;
  dirty_ = true;
}

absl::Status Peers::Acknowledge(NodeId id, uint64_t sequence) {
  Peer& peer = peers_[id.value];
  // Only what was committed can have been sent.
  if (sequence > peer.durable.sealed) {
    return absl::FailedPreconditionError(absl::StrCat("node ", id.value, " acknowledges batch ",
                                                      sequence, ", the last one is ",
                                                      peer.durable.sealed));
  }
  while (peer.working.acknowledged < sequence) {
    peer.working.acknowledged_cash += peer.retained.front().cash;
    ++peer.working.acknowledged;
    OPIC_CHECK(peer.retained.front().sequence == peer.working.acknowledged)
        << "the outbox to node " << id.value << " has a gap";
    magnitude_under_way_ -= peer.retained.front().magnitude;
    peer.retained_bytes -= peer.retained.front().bytes;
    peer.retained.pop_front();
  }
  OPIC_CHECK(peer.working.acknowledged + peer.retained.size() == peer.working.sealed)
      << "batches to node " << id.value << " are neither acknowledged nor retained";
  OPIC_CHECK(!peer.retained.empty() || (peer.retained_bytes == 0 &&
                                        peer.working.acknowledged_cash == peer.working.sealed_cash))
      << "an empty outbox to node " << id.value << " that holds cash";
  OPIC_CHECK(magnitude_under_way_ >= 0) << "less than nothing is under way";
  return absl::OkStatus();
}

void Peers::Hear(NodeId id, const NodeSums& sums) {
  NodeSums& known = peers_[id.value].working.sums;
  const NodeSums before = known;
  known = sums;
  known.clock = std::max(sums.clock, before.clock);
  known.fetch_clock = std::max(sums.fetch_clock, before.fetch_clock);
  known.origin = std::max(sums.origin, before.origin);
  if (!known.unread_debt) known.unread_debt = before.unread_debt;
}

void Peers::Meet(NodeId id, uint32_t generation, uint64_t birth) {
  PeerBook& book = peers_[id.value].working;
  OPIC_CHECK(book.birth == 0) << "the peer's folder is known already";
  book.generation = generation;
  book.birth = birth;
  dirty_ = true;
}

void Peers::TakeOver(const LostChannel& lost) {
  PeerBook& book = peers_[lost.peer.value].working;
  book.closed_applied_cash = lost.received;
  book.closed_sealed_cash = lost.sealed;
  dirty_ = true;
}

absl::Status Peers::BeginAnew(NodeId id, uint32_t generation, store::Store& store) {
  Peer& peer = peers_[id.value];
  PeerBook& book = peer.working;
  if (generation == book.generation) return absl::OkStatus();
  if (generation < book.generation) {
    return absl::FailedPreconditionError(
        absl::StrCat("node ", id.value, " has generation ", book.generation, " already, ",
                     generation, " is an older one: use the newest cluster file"));
  }
  std::vector<TransferBatch> under_way;
  for (const Retained& batch : peer.retained) {
    ASSIGN_OR_RETURN(const std::optional<std::string> bytes,
                     store.Get(store::Table::kOutbox, KeyOfSealed(id, batch.sequence)));
    ASSIGN_OR_RETURN(under_way.emplace_back(), SealedOf(id, batch.sequence, bytes));
  }
  peer.abandoned = book.sealed;
  for (const Retained& batch : peer.retained) magnitude_under_way_ -= batch.magnitude;
  peer.retained.clear();
  peer.retained_bytes = 0;
  book.closed_sealed_cash += book.acknowledged_cash;
  book.closed_applied_cash += book.applied_cash;
  book.sealed = book.acknowledged = book.applied = 0;
  book.sealed_cash = book.acknowledged_cash = book.applied_cash = 0;
  book.generation = generation;
  book.birth = 0;
  for (TransferBatch& batch : under_way) SealOne(id, std::move(batch));
  dirty_ = true;
  return absl::OkStatus();
}

void Peers::AddVirtualShare(NodeId id, cash::Amount amount) {
  OPIC_CHECK(Has(id)) << "a share for node " << id.value << ", which is no peer";
  peers_[id.value].to_virtual_page += amount;
  dirty_ = true;
}

cash::Sum Peers::Seal(NodeId id, std::vector<Transfer> transfers, uint64_t epoch,
                      const NodeSums& sums) {
  Peer& peer = peers_[id.value];
  const cash::Sum before = peer.working.sealed_cash;
  TransferBatch batch = NewBatch(id, epoch, sums);
  batch.to_virtual_page = std::exchange(peer.to_virtual_page, cash::Amount());
  size_t bytes = 0;
  for (Transfer& transfer : transfers) {
    if (bytes > 0 && bytes + BytesOf(transfer) > batch_bytes_max_) {
      SealOne(id, batch);
      batch.to_virtual_page = cash::Amount();
      batch.transfers.clear();
      bytes = 0;
    }
    bytes += BytesOf(transfer);
    batch.transfers.push_back(std::move(transfer));
  }
  SealOne(id, std::move(batch));
  return peer.working.sealed_cash - before;
}

cash::Sum Peers::SealChunks(NodeId id, std::vector<ShardChunk> pieces, uint64_t epoch,
                            const NodeSums& sums) {
  const cash::Sum before = working(id).sealed_cash;
  for (ShardChunk& piece : pieces) {
    TransferBatch batch = NewBatch(id, epoch, sums);
    batch.chunk = std::move(piece);
    SealOne(id, std::move(batch));
  }
  return working(id).sealed_cash - before;
}

TransferBatch Peers::NewBatch(NodeId id, uint64_t epoch, const NodeSums& sums) const {
  TransferBatch batch;
  batch.cluster_id = cluster_id_;
  batch.from = self_;
  batch.to = id;
  batch.method = method_;
  batch.epoch = epoch;
  batch.sums = sums;
  return batch;
}

void Peers::SealOne(NodeId id, TransferBatch batch) {
  OPIC_CHECK(Has(id)) << "a batch for node " << id.value << ", which is no peer";
  Peer& peer = peers_[id.value];
  batch.sequence = ++peer.working.sealed;
  batch.cash_before = peer.working.sealed_cash;
  batch.cash_after = peer.working.sealed_cash += batch.Carried();
  SealedBatch sealed{id, batch.sequence, Encode(batch), TellsPages(batch)};
  bytes_sealed_ += sealed.bytes.size();
  Retain(peer, batch, sealed.bytes.size());
  OPIC_CHECK(peer.working.acknowledged + peer.retained.size() == peer.working.sealed)
      << "batch " << batch.sequence << " to node " << id.value << " is not retained";
  sealed_.push_back(std::move(sealed));
  dirty_ = true;
}

void Peers::Retain(Peer& peer, const TransferBatch& batch, size_t bytes) {
  peer.retained.push_back(RetainedOf(batch, bytes));
  magnitude_under_way_ += peer.retained.back().magnitude;
  peer.retained_bytes += bytes;
}

void Peers::WriteTo(store::Batch& batch) {
  for (uint16_t n = 0; n < count(); ++n) {
    const Peer& peer = peers_[n];
    if (peer.working == peer.durable) continue;
    batch.Put(store::Table::kPeer, KeyOfPeer(NodeId{n}), Encode(peer.working));
    DropSealed(NodeId{n}, peer.dropped, std::max(peer.working.acknowledged, peer.abandoned), batch);
  }
  for (size_t i = sealed_before_; i < sealed_.size(); ++i) {
    const SealedBatch& sealed = sealed_[i];
    batch.Put(store::Table::kOutbox, KeyOfSealed(sealed.to, sealed.sequence), sealed.bytes);
  }
}

void Peers::Committed() {
  for (Peer& peer : peers_) {
    OPIC_CHECK(peer.to_virtual_page.units() == 0) << "a share that was taken and not sealed";
    peer.durable = peer.working;
    peer.dropped = peer.working.acknowledged;
    peer.abandoned = 0;
  }
  sealed_before_ = sealed_.size();
  dirty_ = false;
}

std::vector<SealedBatch> Peers::TakeSealed() {
  sealed_before_ = 0;
  return std::exchange(sealed_, {});
}

}  // namespace opic::ledger
