// How often each element of a text has come before.
//
// Thread safety: confined to one thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace opic::links {

// An open hash table whose slots hold the high bits of an element and, in the low ones, its number.
class Occurrences {
 public:
  // Of so many elements there is room for all; of some more, too.
  explicit Occurrences(size_t elements)
      : slots_(std::bit_ceil(2 * std::max<size_t>(elements, 1))),
        room_(slots_.size() - slots_.size() / 4) {}

  // Before this time; 0 of one that finds no room. So few slots are looked at that time is linear:
  // elements are hashes, but a stranger may choose words whose hashes begin at one place.
  uint64_t Before(uint64_t element) {
    const uint64_t key = element & ~kNumber;
    for (size_t at = element; at - element < kLookedAtMax; ++at) {
      uint64_t& slot = slots_[at & (slots_.size() - 1)];
      const bool free = slot == 0;
      if (free && used_ >= room_) return 0;
      if (!free && (slot & ~kNumber) != key) continue;
      // Nothing here depends on whether it is the first time, which nobody can foresee.
      const uint64_t before = slot & kNumber;
      used_ += free ? 1 : 0;
      slot = key | std::min(before + 1, kNumber);
      return before;
    }
    return 0;
  }

  // More than any element of an ordinary text needs, in a table that is full.
  static constexpr size_t kLookedAtMax = 256;

 private:
  static constexpr uint64_t kNumber = 0xffff;
  std::vector<uint64_t> slots_;  // a power of two of them; 0: free
  size_t used_ = 0;
  const size_t room_;
};

}  // namespace opic::links
