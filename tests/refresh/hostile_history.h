// The stored form of a page's change statistics as damage may leave it: numbers of every size, most
// of them within the bounds that Decode asks for, many at their ends.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/rng.h"
#include "refresh/change_history.h"

namespace opic::refresh {

// A stored number: the upper three bytes of its binary32.
inline std::string StoredFloat(double value) {
  const auto word = std::bit_cast<uint32_t>(static_cast<float>(value));
  return {static_cast<char>(word >> 8), static_cast<char>(word >> 16),
          static_cast<char>(word >> 24)};
}

// 2^low to 2^high, one in eight at either end.
inline double AnyPowerOfTwo(base::Rng& rng, double low, double high) {
  const uint64_t kind = rng.Below(8);
  return std::exp2(kind == 0 ? low : kind == 1 ? high : low + (high - low) * rng.Uniform());
}

inline std::string HostileHistory(base::Rng& rng) {
  const uint64_t clusters = rng.Below(4), sums = rng.Below(4);
  std::string bytes(1, static_cast<char>(clusters | sums << 3));
  const auto append_count = [&] {
    const double count = AnyPowerOfTwo(rng, -19, 60);
    bytes += StoredFloat(count);
    return count;
  };
  for (uint64_t i = std::popcount(sums); i > 0; --i) {
    const double count = append_count();
    bytes += StoredFloat(count * AnyPowerOfTwo(rng, 1, 31));
  }
  double low = 0;
  for (uint64_t i = 0; i < clusters; ++i) {
    append_count();
    const double mean = AnyPowerOfTwo(rng, low, 31);
    low = std::log2(mean);
    const uint64_t spread = rng.Below(3) == 0 ? 62259 : rng.Below(62260);
    bytes += StoredFloat(mean);
    bytes.push_back(static_cast<char>(spread)), bytes.push_back(static_cast<char>(spread >> 8));
  }
  if (rng.Below(8) == 0) bytes[rng.Below(bytes.size())] = static_cast<char>(rng());
  return bytes;
}

}  // namespace opic::refresh
