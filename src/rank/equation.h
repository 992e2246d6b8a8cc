// The equation of one iteration, apart from where links and values are kept.
//
// A page is held by its *share*, what one link of it passes on: x / (number of its links) for the
// random walk (with w beside the links, where there is such an edge), x for the adjacency matrix.
// For a page without links the share is x.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "rank/options.h"

namespace opic::rank {

// The vector E; sums to 1.
//
// Thread safety: immutable.
class Personalisation {
 public:
  Personalisation() = default;  // the same for every page
  // Pages and their weights, in any order; repeated ones add up. InvalidArgument: a weight that is
  // negative or not finite, or no weight above zero. Memory: 16 bytes an entry.
  static absl::StatusOr<Personalisation> Of(std::vector<std::pair<uint32_t, double>> weights);

  bool uniform() const { return weights_.empty(); }
  // One more than the largest page named.
  uint64_t pages_min() const { return weights_.empty() ? 0 : weights_.back().first + uint64_t{1}; }
  // values[i] += factor * E of page first + i, of `pages` pages.
  void AddTo(uint32_t first, uint64_t pages, double factor, absl::Span<double> values) const;

 private:
  std::vector<std::pair<uint32_t, double>> weights_;  // ascending by page
};

// For all pages, or for some.
struct RankTotals {
  double size = 0;  // sum of x
  double kept = 0;  // what links carry away: sum of M x

  RankTotals& operator+=(const RankTotals& other) {
    size += other.size, kept += other.kept;
    return *this;
  }
  RankTotals& operator-=(const RankTotals& other) {
    size -= other.size, kept -= other.kept;
    return *this;
  }
};

// One iteration: x' = scale * (follow * M x + jump * E + stay * x).
struct RankStep {
  double follow = 0, jump = 0, stay = 0, scale = 1;
};
// `totals` are those of x. With it x' has the size of x. FailedPrecondition: nothing would be left
// (no links, and all importance follows links).
absl::StatusOr<RankStep> StepFrom(const RankOptions& options, const RankTotals& totals);

// What renewing some pages came to.
struct RenewalSums {
  RankTotals before, after;
  double change_l1 = 0, change_l2_squared = 0;

  RenewalSums& operator+=(const RenewalSums& other) {
    before += other.before, after += other.after;
    change_l1 += other.change_l1, change_l2_squared += other.change_l2_squared;
    return *this;
  }
};

// By how much a page's x is more than its share.
inline double SharesOf(const RankOptions& options, uint32_t links) {
  return options.matrix == graph::LinkMatrix::kAdjacency || links == 0
             ? 1
             : links + options.edge_weight;
}

// The new shares of some neighbouring pages. `sums` holds follow * M x + jump * E of them, and then
// x'. `renewed` may be `shares`. All spans are of the same size.
template <typename Real>
RenewalSums Renew(const RankOptions& options, const RankStep& step,
                  absl::Span<const uint32_t> links, absl::Span<const Real> shares,
                  absl::Span<double> sums, absl::Span<Real> renewed) {
  RenewalSums out;
  for (size_t i = 0; i < sums.size(); ++i) {
    const double divisor = SharesOf(options, links[i]);
    const double share = shares[i], before = share * divisor;
    const double after = step.scale * (sums[i] + step.stay * before);
    const double change = std::abs(after - before);
    const double share_after = after / divisor;
    out.before.size += before, out.before.kept += share * links[i];
    out.after.size += after, out.after.kept += share_after * links[i];
    renewed[i] = static_cast<Real>(share_after);
    sums[i] = after;
    out.change_l1 += change, out.change_l2_squared += change * change;
  }
  return out;
}

}  // namespace opic::rank
