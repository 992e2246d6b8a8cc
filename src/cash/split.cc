#include "cash/split.h"

#include <algorithm>

namespace opic::cash {

SmallEdge SmallEdge::FromShare(double epsilon) {
  const double parts = std::clamp(epsilon, 0.0, 1.0) * 4294967296.0;
  return SmallEdge{static_cast<uint32_t>(std::min(parts + 0.5, 4294967295.0))};
}

Split SplitCash(Amount paid, uint64_t links, SmallEdge epsilon) {
  if (links == 0) return {Amount(), paid};
  const Amount small_edge(static_cast<uint64_t>(Sum{paid.units()} * epsilon.parts >> 32));
  const uint64_t per_link = (paid - small_edge).units() / links;
  return {Amount(per_link), paid - Amount(per_link * links)};
}

}  // namespace opic::cash
