// Seeded chance: the same seed gives the same run everywhere.
#pragma once

#include <cstdint>

namespace opic::base {

// SplitMix64's finaliser: a bijection of 64-bit words that looks random. Stable across versions:
// stored data and replays depend on it.
constexpr uint64_t Mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// SplitMix64 generator. Satisfies UniformRandomBitGenerator.
// Thread safety: confined to the owner thread.
class Rng {
 public:
  using result_type = uint64_t;
  explicit Rng(uint64_t seed) : state_(seed) {}
  uint64_t operator()() {
    const uint64_t value = Mix64(state_);
    state_ += 0x9e3779b97f4a7c15;
    return value;
  }
  static constexpr uint64_t min() { return 0; }
  static constexpr uint64_t max() { return ~uint64_t{0}; }
  // Uniform in [0, n); REQUIRES: n > 0. The bias is below n / 2^64.
  uint64_t Below(uint64_t n) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>((*this)()) * n) >> 64);
  }
  // Uniform in [0, 1).
  double Uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }

 private:
  uint64_t state_;
};

}  // namespace opic::base
