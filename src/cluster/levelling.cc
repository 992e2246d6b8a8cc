#include "cluster/levelling.h"

#include <algorithm>

namespace opic::cluster {

std::optional<Levelling> LevelOf(NodeId self, absl::Span<const VirtualHolding> holdings,
                                 cash::Amount payable) {
  cash::Sum cash = 0, pages = 0;
  for (const VirtualHolding& holding : holdings) {
    cash += holding.cash.units();
    pages += holding.pages;
  }
  if (pages == 0) return std::nullopt;
  // The supply has 60 bits and pages have 50 (times the nodes, 10), so the product fits.
  const auto share_of = [&](const VirtualHolding& holding) { return cash * holding.pages / pages; };

  cash::Sum excess = 0, lack = 0;
  NodeId neediest = self;
  for (const VirtualHolding& holding : holdings) {
    const cash::Sum share = share_of(holding), held = holding.cash.units();
    if (holding.node == self) {
      if (held <= share + share / 10) return std::nullopt;
      excess = held - share;
    } else if (holding.reachable && share > held && share - held > lack) {
      lack = share - held;
      neediest = holding.node;
    }
  }
  const cash::Sum amount = std::min({excess / 2, lack, cash::Sum{payable.units()}});
  if (amount == 0) return std::nullopt;
  return Levelling{neediest, cash::Amount(static_cast<uint64_t>(amount))};
}

}  // namespace opic::cluster
