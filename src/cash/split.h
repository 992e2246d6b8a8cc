// The exact split of a visited page's cash D (docs/algorithm.md section 3).
//
// A page with links pays a share epsilon of D to the virtual page and splits the rest D' equally
// over its k distinct links: q = D'/k each. The remainder r = D' mod k goes to the virtual page
// too, so that equal links stay equal and nothing is lost: virtual_share + k * per_link == D. A
// page without links pays all of D to the virtual page.
#pragma once

#include <cstdint>

#include "cash/amount.h"

namespace opic::cash {

// epsilon as a fraction of 2^32, so that the split is integer arithmetic and the same everywhere.
struct SmallEdge {
  uint32_t parts = 644245094;  // 0.15 * 2^32, the default epsilon
  static SmallEdge FromShare(double epsilon);
  double share() const { return static_cast<double>(parts) / 4294967296.0; }
  friend bool operator==(SmallEdge, SmallEdge) = default;
};

struct Split {
  Amount per_link;       // to each of the links
  Amount virtual_share;  // to the virtual page
};

// `links` is the number of distinct links without the page itself; 0 pays all to the virtual page.
Split SplitCash(Amount paid, uint64_t links, SmallEdge epsilon);

}  // namespace opic::cash
