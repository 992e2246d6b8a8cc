// What a node keeps about one peer (Table::kPeer, docs/formats/store.md): how far each direction of
// their channel has come, and what the peer last reported about itself. It is written with the
// commit group that moves it (rule R3), so that cash and watermark cannot part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ledger/transfer.h"

namespace opic::ledger {

struct PeerBook {
  // Which data folder of the peer this channel runs to. A folder that was lost and begun anew has
  // another birth and a higher generation, and is let in by an operator's act only.
  uint32_t generation = 1;
  uint64_t birth = 0;  // 0: never met

  uint64_t sealed = 0, acknowledged = 0;  // last sequence numbers of ours
  cash::Sum sealed_cash = 0, acknowledged_cash = 0;
  uint64_t applied = 0;  // last sequence number of the peer's that is durable here
  cash::Sum applied_cash = 0;
  // What passed the channels between earlier folders of the peer and of this node: one of the two
  // was lost. Both ends have the same sums, so that they can tell what the other one held.
  cash::Sum closed_sealed_cash = 0, closed_applied_cash = 0;
  NodeSums sums;

  friend bool operator==(const PeerBook&, const PeerBook&) = default;
};

std::string KeyOfPeer(NodeId peer);
absl::StatusOr<NodeId> PeerOfKey(std::string_view key);
std::string Encode(const PeerBook& book);
absl::StatusOr<PeerBook> DecodePeerBook(std::string_view bytes);

// Table::kOutbox: the sealed batch `sequence` to `peer`.
std::string KeyOfSealed(NodeId peer, uint64_t sequence);
absl::StatusOr<std::pair<NodeId, uint64_t>> SealedOfKey(std::string_view key);

// A sealed batch that the peer has not acknowledged, as remembered in memory.
struct Retained {
  // The piece of a move that it carries.
  struct Piece {
    ShardId shard;
    uint64_t move = 0;  // 0: it carries none
    bool last = false;
  };
  uint64_t sequence = 0;
  uint64_t bytes = 0;
  cash::Sum cash = 0;       // counted from its transfers and moved pages
  cash::Sum magnitude = 0;  // the same without signs
  Piece piece = {};
};

// One node's part of a consistent cut (Ledger::EnterEpoch).
struct Cut {
  uint64_t epoch = 0, log_number = 0;
  uint64_t pages = 0, unread = 0;
  cash::Sum genesis = 0;  // own, and what was declared lost and issued anew here
  cash::Sum table = 0;    // every cell counted anew
  cash::Sum virtual_page = 0, clock = 0;
  struct ChannelState {
    NodeId peer;
    PeerBook book;
    std::vector<Retained> retained;
  };
  std::vector<ChannelState> channels;
};

}  // namespace opic::ledger
