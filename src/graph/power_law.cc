#include "graph/power_law.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_set.h"
#include "base/check.h"

namespace opic::graph {
namespace {

// Mathematics libraries differ in the last bit of pow. In long double that bit is 2^-13 of a unit
// or less, so that rounding to whole units hides it.
uint64_t Weight(uint32_t k, double exponent) {
  constexpr long double kUnits = 1125899906842624.0L;  // 2^50
  return static_cast<uint64_t>(std::llround(
      kUnits * std::pow(static_cast<long double>(k), -static_cast<long double>(exponent))));
}

}  // namespace

PowerLaw::PowerLaw(uint32_t largest, double exponent) {
  OPIC_CHECK(largest > 0 && exponent > 0) << largest << ", " << exponent;
  sums_.reserve(largest);
  uint64_t sum = 0;
  for (uint32_t k = 1; k <= largest; ++k) {
    OPIC_CHECK(!__builtin_add_overflow(sum, Weight(k, exponent), &sum)) << "exponent too small";
    sums_.push_back(sum);
  }
}

uint32_t PowerLaw::Draw(base::Rng& rng) const {
  const uint64_t draw = rng.Below(sums_.back());
  const auto first_above = std::upper_bound(sums_.begin(), sums_.end(), draw);
  return static_cast<uint32_t>(first_above - sums_.begin()) + 1;
}

double PowerLaw::Probability(uint32_t k) const {
  OPIC_CHECK(k >= 1 && k <= largest()) << k;
  const uint64_t below = k == 1 ? 0 : sums_[k - 2];
  return static_cast<double>(sums_[k - 1] - below) / static_cast<double>(sums_.back());
}

double PowerLaw::Mean() const {
  double mean = 0;
  for (uint32_t k = 1; k <= largest(); ++k) mean += k * Probability(k);
  return mean;
}

Graph PowerLawGraph(uint32_t pages, base::Rng rng, double exponent) {
  OPIC_CHECK(pages > 1) << "one page has nobody to link to it";
  const PowerLaw in_degrees(pages / 2, exponent);
  std::vector<Edge> edges;
  absl::flat_hash_set<uint32_t> sources;
  for (uint32_t page = 0; page < pages; ++page) {
    const uint32_t wanted = in_degrees.Draw(rng);
    sources.clear();
    while (sources.size() < wanted) {
      const uint32_t draw = static_cast<uint32_t>(rng.Below(pages - 1));
      const uint32_t source = draw < page ? draw : draw + 1;  // every page but this one
      if (sources.insert(source).second) edges.push_back({source, page});
    }
  }
  return Graph::FromEdges(pages, std::move(edges));
}

}  // namespace opic::graph
