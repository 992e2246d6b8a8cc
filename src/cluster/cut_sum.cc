#include "cluster/cut_sum.h"

namespace opic::cluster {
namespace {

const ledger::PeerBook* BookOf(const ledger::Cut& part, NodeId peer) {
  for (const ledger::Cut::ChannelState& channel : part.channels) {
    if (channel.peer == peer) return &channel.book;
  }
  return nullptr;
}

// The channel runs between the same folders in both.
bool Same(const ledger::PeerBook& earlier, const ledger::PeerBook& later) {
  return earlier.birth == later.birth && earlier.generation == later.generation;
}

}  // namespace

std::optional<Contradiction> ContradictionOf(absl::Span<const ledger::Cut> earlier,
                                             absl::Span<const ledger::Cut> later) {
  if (later.size() != earlier.size()) return std::nullopt;
  const auto nodes = static_cast<uint16_t>(later.size());
  for (uint16_t from = 0; from < nodes; ++from) {
    for (uint16_t to = 0; to < nodes; ++to) {
      const ledger::PeerBook* sent_then = BookOf(earlier[from], NodeId{to});
      const ledger::PeerBook* sent_now = BookOf(later[from], NodeId{to});
      const ledger::PeerBook* got_then = BookOf(earlier[to], NodeId{from});
      const ledger::PeerBook* got_now = BookOf(later[to], NodeId{from});
      if (from == to || !sent_then || !sent_now || !got_then || !got_now) continue;
      if (!Same(*sent_then, *sent_now) || !Same(*got_then, *got_now)) continue;
      if (got_then->applied > sent_now->sealed) {
        return Contradiction{NodeId{from}, NodeId{to}, got_then->applied, sent_now->sealed, true};
      }
      if (sent_then->acknowledged > got_now->applied) {
        return Contradiction{NodeId{from}, NodeId{to}, sent_then->acknowledged, got_now->applied,
                             false};
      }
    }
  }
  return std::nullopt;
}

CutSum SumOf(absl::Span<const ledger::Cut> parts) {
  CutSum sum;
  for (size_t n = 0; n < parts.size(); ++n) {
    const NodeId from = NodeAt(n);
    const ledger::Cut& part = parts[n];
    sum.expected += part.genesis;
    sum.tables += part.table;
    sum.virtual_pages += part.virtual_page;
    if (part.channels.size() + 1 != parts.size()) sum.torn = TornChannel{from, from};
    for (const ledger::Cut::ChannelState& channel : part.channels) {
      // The successor of a lost folder began with what that had been paid and had not paid out.
      sum.expected += channel.book.closed_applied_cash - channel.book.closed_sealed_cash;
      const ledger::PeerBook* other =
          channel.peer.value < parts.size() ? BookOf(parts[channel.peer.value], from) : nullptr;
      // Applied before it was sealed, or acknowledged before it was applied: messages of a later
      // epoch that met a node which had forgotten this one.
      if (other == nullptr || other->applied > channel.book.sealed ||
          other->applied < channel.book.acknowledged) {
        sum.torn = TornChannel{from, channel.peer};
        continue;
      }
      for (const ledger::Retained& batch : channel.retained) {
        if (batch.sequence <= other->applied) continue;
        sum.in_flight += batch.cash;
        ++sum.in_flight_batches;
      }
    }
  }
  return sum;
}

}  // namespace opic::cluster
