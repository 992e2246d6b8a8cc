// Hashes of a page's content that are only compared with hashes of the same kind: what the text
// says and what the bytes say differ, though nothing has changed. The lowest bit tells the kind.
//
// Pure functions.
#pragma once

#include <cstdint>

namespace opic::refresh {

constexpr uint64_t HashOfText(uint64_t hash) { return hash | 1; }
constexpr uint64_t HashOfBytes(uint64_t hash) { return hash & ~uint64_t{1}; }
constexpr bool IsOfText(uint64_t hash) { return (hash & 1) != 0; }
constexpr bool AreComparable(uint64_t one, uint64_t other) {
  return one != 0 && other != 0 && ((one ^ other) & 1) == 0;
}

}  // namespace opic::refresh
