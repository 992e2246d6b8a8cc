// All that existence of change tells of pages' change rates: the posterior of each page from every
// interval between two fetches, with the distribution that rates are drawn from as its prior. No
// estimator that sees only whether pages had changed can know more. On a grid of ln(rate).
//
// Thread safety: confined to the owner thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace opic::sim {

class ExistencePosterior {
 public:
  // Rates are log-normal: ln(rate * seconds) is of mean 0 and this deviation.
  ExistencePosterior(uint32_t pages, double deviation, double seconds);

  // The page had changed, or not, in the `seconds` since its last fetch.
  void Observe(uint32_t page, double seconds, bool changed);
  // The rate that minimises the cost to expect, changes a second: E[rate^a]^(1/a), with the a of
  // refresh::kObsolescenceExponent.
  double RateOf(uint32_t page) const;

 private:
  static constexpr size_t kPoints = 64;

  std::array<double, kPoints> rates_, costs_;     // rate, rate^a
  std::vector<std::array<float, kPoints>> logs_;  // of the posterior, up to a constant
};

}  // namespace opic::sim
