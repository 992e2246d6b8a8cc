// How far estimated importance is from the exact one: the measures of the experiments.
//
// Both vectors are indexed by page and of the same size, not empty; exact values are above zero.
// Where values are equal, the lower page number comes first.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace opic::graph {

// Pages by value, largest first; at most `k`.
std::vector<uint32_t> TopPages(absl::Span<const double> values, size_t k);

// The paper's error (section 4.2): 100 * mean(|X - Imp| / Imp).
double MeanErrorPercent(absl::Span<const double> estimate, absl::Span<const double> exact);
// The same over the `share` of pages with the largest exact importance, at least one page.
double TopMeanErrorPercent(absl::Span<const double> estimate, absl::Span<const double> exact,
                           double share = 0.1);

// The sum of |a - b| over all pages: what the error bound of a ranking bounds. 0 for no pages.
double L1Distance(absl::Span<const double> a, absl::Span<const double> b);

// Spearman's rank correlation, -1 to 1; equal values share their mean rank. 0 when one side is
// constant.
double Spearman(absl::Span<const double> a, absl::Span<const double> b);

// Kendall's rank correlation tau-b, -1 to 1: pairs of pages in the same order on both sides less
// those in opposite order, with equal values allowed for. 0 when one side is constant. O(n log n).
double Kendall(absl::Span<const double> a, absl::Span<const double> b);

// Normalised discounted cumulative gain of the estimate's first `k` pages, 0 to 1; the gain of a
// page is its exact importance, the discount of position p (from 1) is log2(p + 1).
double Ndcg(absl::Span<const double> estimate, absl::Span<const double> exact, size_t k);

// Which part of the estimate's first `k` pages belongs there, 0 to 1: pages whose exact value is at
// least the k-th largest exact one, less `slack` of it. Pages that equal the k-th are as good as
// it, whichever of them a sort puts first; the default allows for how exact a ranking is computed.
double TopOverlap(absl::Span<const double> estimate, absl::Span<const double> exact, size_t k,
                  double slack = 1e-9);

// What the estimate's first `k` pages hold of what the exact first `k` hold, 0 to 1. Where many
// pages are nearly equal TopOverlap tells which of them came first; this tells what that costs.
double TopCaptured(absl::Span<const double> estimate, absl::Span<const double> exact, size_t k);

}  // namespace opic::graph
