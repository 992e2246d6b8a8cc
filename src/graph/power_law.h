// The paper's synthetic web (section 4.2): in-degrees follow a power law, sources are uniform.
//
// Everything is a function of the seed: the table of the distribution is made of integers, so that
// the same graph comes out on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "graph/graph.h"

namespace opic::graph {

inline constexpr double kWebExponent = 2.1;  // of the web's in-degrees, as the paper has it

// P(k) = k^-exponent / sum over j of j^-exponent, for 1 <= k <= largest.
// Thread safety: immutable.
class PowerLaw {
 public:
  // REQUIRES: largest > 0, exponent > 0. Memory: 8 bytes times `largest`.
  explicit PowerLaw(uint32_t largest, double exponent = kWebExponent);
  uint32_t Draw(base::Rng& rng) const;
  double Probability(uint32_t k) const;
  double Mean() const;
  uint32_t largest() const { return static_cast<uint32_t>(sums_.size()); }

 private:
  std::vector<uint64_t> sums_;  // sums_[k - 1] is the weight of 1 to k, in units of 2^-50
};

// A graph of `pages` pages. Each draws its in-degree, at most pages / 2, and that many distinct
// sources, all pages but itself being equally likely. REQUIRES: pages > 1.
Graph PowerLawGraph(uint32_t pages, base::Rng rng, double exponent = kWebExponent);

}  // namespace opic::graph
