// How the nodes of a cluster share what they may read again in a second.
//
// Each has a part of the rate, its own --rate. But the least obsolescence under one bandwidth has
// one multiplier m for all pages of the cluster (refresh/frequencies.h; thesis 3.7, 3.8), and a
// node with more pages that matter, or that change, is worth a greater part. So each tells what
// its plan asks for as a function of m, and each computes from all of these the m at which the sum
// is what they have together, and what it plans itself with that m. Nobody decides for others: from
// the same demands all compute the same m, and their parts add up. While a demand is on its way
// they do not, for that long.
//
// The function is told at some values of m around the one that holds, half an octave apart, and at
// both ends; it is taken as linear between, as the sum of clamped frequencies nearly is. Where the
// m that is sought lies outside of what was told, the next demands are around the nearest one that
// was.
//
// Thread safety: pure.
#pragma once

#include <array>

#include "absl/types/span.h"

namespace opic::schedule {

struct RefreshDemand {
  static constexpr int kPoints = 15;
  static constexpr int kExponentMax = 400;  // of the multipliers' middle, and of its negative

  // Pages a second for refresh that are the node's own, at most kPagesPerSecondMax (rate_budget.h);
  // 0: it shares none, and the rest is void.
  double rate = 0;
  int first = 0;  // planned[i] is for the multiplier 2^((first + i) / 2)
  // Refreshes a second; none is below the one before.
  double least = 0;  // with no multiplier: every page at the floor
  std::array<double, kPoints> planned{};
  double most = 0;  // with an infinite one: every page at the cap

  friend bool operator==(const RefreshDemand&, const RefreshDemand&) = default;
};

// 2^(exponent / 2).
double MultiplierOf(int exponent);
// The nearest exponent; of 0 and below, and of infinity, the nearest end of the range.
int ExponentOf(double multiplier);

// Bad numbers, a plan that falls, an exponent out of its range.
bool IsSound(const RefreshDemand& demand);

struct RefreshPart {
  double pages_per_s = 0;  // of this node
  double multiplier = 0;   // that holds for all; 0: it is not among those that were told
  int exponent = 0;        // around which the next demand is to be told
};
// REQUIRES: all sound; own.rate > 0. Others of rate 0 do not count.
RefreshPart PartOf(const RefreshDemand& own, absl::Span<const RefreshDemand> others);

}  // namespace opic::schedule
