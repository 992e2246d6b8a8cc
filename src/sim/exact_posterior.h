// All that fetches tell of pages' change rates: the posterior of each page from every fetch, with
// the distribution that rates are drawn from, and the way in which they wander, as its prior. No
// estimator that sees the same can know more. On a grid of ln(rate).
//
// Where rates wander, it is the filter of a hidden Markov chain: between two fetches the weight of
// each rate decays by e^(-rate * time) while the page is known to be unchanged, and at each step of
// the drift goes to other rates as the drift takes it there.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace opic::sim {

// At 0 and each multiple of `step` after it, ln(rate) becomes `kept` times itself and a normal
// number, so that its distribution stays. By default rates stay.
struct RateDrift {
  double step = std::numeric_limits<double>::infinity();  // seconds
  double kept = 1;
};

class ExactPosterior {
 public:
  static constexpr size_t kPoints = 64;  // of the grid

  // Rates are log-normal: ln(rate * seconds) is of mean 0 and this deviation.
  ExactPosterior(uint32_t pages, double deviation, double seconds, const RateDrift& drift = {});

  // A fetch of the page at `now`, in seconds. It had not changed since `previous`, the last fetch;
  // or it had; or it had, and last at `change`. For the first fetch of a page whose last change is
  // known, `previous` is that change.
  void ObserveQuiet(uint32_t page, double previous, double now);
  void ObserveChange(uint32_t page, double previous, double now);
  void ObserveDate(uint32_t page, double previous, double change, double now);
  // The rate that minimises the cost to expect, changes a second: E[rate^a]^(1/a), with the a of
  // refresh::kObsolescenceExponent. Of the last fetch.
  double RateOf(uint32_t page) const;

 private:
  using Weights = std::array<double, kPoints>;  // of each rate, up to a constant

  enum class Seen : uint8_t { kNothing, kNoChange };
  Weights After(Weights weights, double from, double to, Seen seen) const;
  void Decay(Weights& weights, double seconds) const;
  void SetMoves();
  Weights Moved(const Weights& weights) const;
  void Set(uint32_t page, const Weights& weights);

  const RateDrift drift_;
  Weights rates_, costs_;                    // rate, rate^a
  std::array<Weights, kPoints> moves_ = {};  // what a step takes from a rate to each
  size_t reach_ = 0;                         // so many places to either side
  std::vector<Weights> pages_;
};

}  // namespace opic::sim
