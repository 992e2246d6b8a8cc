#include "cluster/cut_sum.h"

namespace opic::cluster {
namespace {

const ledger::PeerBook* BookOf(const ledger::Cut& part, NodeId peer) {
  for (const ledger::Cut::Channel& channel : part.channels) {
    if (channel.peer == peer) return &channel.book;
  }
  return nullptr;
}

}  // namespace

CutSum SumOf(absl::Span<const ledger::Cut> parts) {
  CutSum sum;
  for (size_t n = 0; n < parts.size(); ++n) {
    const NodeId from{static_cast<uint16_t>(n)};
    const ledger::Cut& part = parts[n];
    sum.expected += part.genesis;
    sum.tables += part.table;
    sum.virtual_pages += part.virtual_page;
    if (part.channels.size() + 1 != parts.size()) sum.torn = TornChannel{from, from};
    for (const ledger::Cut::Channel& channel : part.channels) {
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
