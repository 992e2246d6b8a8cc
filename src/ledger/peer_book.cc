#include "ledger/peer_book.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/damaged_folder.h"

namespace opic::ledger {
namespace {

absl::Status Damaged() { return absl::DataLossError("a peer's book is damaged"); }

absl::Status DamagedKey(std::string_view key) {
  return base::DamagedFolder(absl::StrCat(
      "a row has the key ", absl::BytesToHexString(std::string(key)), ", which names no node"));
}

}  // namespace

std::string KeyOfPeer(NodeId peer) { return base::Big64(peer.value); }

absl::StatusOr<NodeId> PeerOfKey(std::string_view key) {
  base::Decoder in(key);
  const uint64_t node = in.Big64();
  if (!in.done() || node > kShardOrNodeMax) return DamagedKey(key);
  return NodeAt(node);
}

std::string Encode(const PeerBook& book) {
  std::string out;
  base::AppendVarint(out, book.generation);
  base::AppendFixed64(out, book.birth);
  base::AppendVarint(out, book.sealed);
  base::AppendVarint(out, book.acknowledged);
  base::AppendVarint128(out, book.sealed_cash);
  base::AppendVarint128(out, book.acknowledged_cash);
  base::AppendVarint(out, book.applied);
  base::AppendVarint128(out, book.applied_cash);
  base::AppendVarint128(out, book.closed_sealed_cash);
  base::AppendVarint128(out, book.closed_applied_cash);
  AppendNodeSums(out, book.sums);
  base::AppendFixed64(out, base::Hash64(out));
  return out;
}

absl::StatusOr<PeerBook> DecodePeerBook(std::string_view bytes) {
  base::Decoder in(bytes);
  PeerBook book;
  book.generation = static_cast<uint32_t>(in.Varint());
  book.birth = in.Fixed64();
  book.sealed = in.Varint();
  book.acknowledged = in.Varint();
  book.sealed_cash = in.Varint128();
  book.acknowledged_cash = in.Varint128();
  book.applied = in.Varint();
  book.applied_cash = in.Varint128();
  book.closed_sealed_cash = in.Varint128();
  book.closed_applied_cash = in.Varint128();
  book.sums = ReadNodeSums(in);
  const std::string_view summed = bytes.substr(0, bytes.size() - in.rest().size());
  if (in.Fixed64() != base::Hash64(summed) || !in.done()) return Damaged();
  if (book.acknowledged > book.sealed) return Damaged();
  return book;
}

std::string KeyOfSealed(NodeId peer, uint64_t sequence) {
  return base::Big64(peer.value) + base::Big64(sequence);
}

absl::StatusOr<std::pair<NodeId, uint64_t>> SealedOfKey(std::string_view key) {
  base::Decoder in(key);
  const uint64_t node = in.Big64();
  const uint64_t sequence = in.Big64();
  if (!in.done() || node > kShardOrNodeMax) return DamagedKey(key);
  return std::pair(NodeAt(node), sequence);
}

}  // namespace opic::ledger
