// The importance that the links known to a push bank give, computed off-line: what its estimates
// are measured against.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "sim/push_bank.h"

namespace opic::sim {

struct PushTruth {
  std::vector<uint32_t> pages;  // that are known, ascending
  std::vector<double> exact;    // importance of each; sums to 1
};

// Takes the links as last read; pages unread or without links pass their importance to all known
// pages. REQUIRES: all known pages have the same base, and one is known.
PushTruth TruthOf(const PushBank& bank);

// The values of `pages` among `values`, which are indexed by page.
std::vector<double> Of(absl::Span<const uint32_t> pages, absl::Span<const double> values);

// How far the bank is from the truth of its own links.
struct PushError {
  double mean_percent, top_percent;  // of all known pages, of their top tenth
  double l1;                         // the sum of all errors, which bound is not below
  double bound;
  double top_100;  // which part of the first hundred pages is among the estimate's
};
PushError ErrorOf(const PushBank& bank);

}  // namespace opic::sim
