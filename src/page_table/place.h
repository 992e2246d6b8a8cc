// The state of one page as stored: 19 bits, wherever they lie.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "cash/cell.h"

namespace opic::page_table {

static_assert(std::endian::native == std::endian::little, "words are stored in memory order");

inline uint64_t LoadWord(const uint8_t* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

inline void StoreWord(uint8_t* at, uint64_t word) { std::memcpy(at, &word, sizeof(word)); }

// What is kept of a page beside its id. Meaning as in Page.
struct State {
  static constexpr int kBits = cash::Cell::kBits + 2;  // cell, ordered, done

  static constexpr State FromBits(uint64_t bits) {
    const auto cell =
        cash::Cell::FromBits(static_cast<uint32_t>(bits >> 2) & ((1u << cash::Cell::kBits) - 1));
    return {cell, (bits & 1) != 0, (bits & 2) != 0};
  }
  constexpr uint64_t bits() const {
    return uint64_t{cash.bits()} << 2 | uint64_t{ordered} << 1 | uint64_t{done};
  }
  // Also of the packed form id << kBits | bits that sorted pages come in.
  static constexpr State FromPacked(uint64_t packed) {
    return FromBits(packed & ((uint64_t{1} << kBits) - 1));
  }
  friend constexpr bool operator==(State, State) = default;

  cash::Cell cash;
  bool done = false;
  bool ordered = false;
};

// Where a page's state lies: a run of 19 bits at `shift` in an unaligned word of 8 readable bytes.
// The bits beside it belong to others and are left alone. Valid until a page is added to the same
// shard.
class Place {
 public:
  Place() = default;  // nowhere
  Place(uint8_t* at, int shift) : at_(at), shift_(shift) {}

  explicit operator bool() const { return at_ != nullptr; }
  State Get() const { return State::FromBits(LoadWord(at_) >> shift_ & kMask); }
  void Set(State state) const {
    StoreWord(at_, (LoadWord(at_) & ~(kMask << shift_)) | state.bits() << shift_);
  }

 private:
  static constexpr uint64_t kMask = (uint64_t{1} << State::kBits) - 1;
  uint8_t* at_ = nullptr;
  int shift_ = 0;
};

}  // namespace opic::page_table
