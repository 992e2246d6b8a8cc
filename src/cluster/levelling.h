// How the virtual page's cash is spread over the nodes: in proportion to the pages they know
// (ALGORITHM section 1), so that a page gets the same instalments on whatever node it lives.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "base/ids.h"
#include "cash/amount.h"

namespace opic::cluster {

struct VirtualHolding {
  NodeId node;
  cash::Amount cash;  // of the virtual page, on its way to it included
  uint64_t pages = 0;
  bool reachable = true;  // it can be paid now
};

struct Levelling {
  NodeId to;
  cash::Amount amount;
  friend bool operator==(const Levelling&, const Levelling&) = default;
};

// What `self` should pay now: when it holds more than 11/10 of its share, half of the excess, to
// the reachable node that lacks most, and no more than that lacks nor than `payable`. Nothing while
// no node knows a page. REQUIRES: `self` is among `holdings`, their cash and pages are sound
// (IsSound in greeting.h).
std::optional<Levelling> LevelOf(NodeId self, absl::Span<const VirtualHolding> holdings,
                                 cash::Amount payable);

}  // namespace opic::cluster
