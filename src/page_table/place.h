// The state of one page as stored: 19 bits, wherever they lie.
//
// Thread safety: values; what a Place points to is its table's.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "cash/cell.h"

namespace opic::page_table {

static_assert(std::endian::native == std::endian::little, "words are stored in memory order");

// What is kept of a page beside its id. Meaning as in Page.
//
//   bits 15..0 the cell's magnitude | 16 debt | 17 ordered | 18 done
struct State {
  static constexpr int kBits = cash::Cell::kBits + 2;
  static constexpr int kFlagShift = 16;
  static constexpr int kFlags = kBits - kFlagShift;
  static constexpr uint32_t kFlagMask = (1u << kFlags) - 1;
  static constexpr uint32_t kOrdered = 1u << 17;
  static constexpr uint32_t kDone = 1u << 18;

  static constexpr State FromBits(uint32_t bits) {
    return {cash::Cell::FromBits(bits & (kOrdered - 1)), (bits & kDone) != 0,
            (bits & kOrdered) != 0};
  }
  constexpr uint32_t bits() const {
    return cash.bits() | (ordered ? kOrdered : 0) | (done ? kDone : 0);
  }
  // Of the packed form id << kBits | bits that sorted pages come in.
  static constexpr State FromPacked(uint64_t packed) {
    return FromBits(static_cast<uint32_t>(packed & ((uint64_t{1} << kBits) - 1)));
  }
  constexpr uint32_t magnitude() const { return bits() & 0xffff; }
  constexpr uint32_t flags() const { return bits() >> kFlagShift; }
  friend constexpr bool operator==(State, State) = default;

  cash::Cell cash;
  bool done = false;
  bool ordered = false;
};

static_assert(cash::Cell::kBits == 17, "16 bits of magnitude and the debt");

// Where a page's state lies: two bytes of magnitude, and the low three bits of another byte. The
// bits beside them belong to others and are left alone. Valid until a page is added to the same
// shard.
class Place {
 public:
  Place() = default;  // nowhere
  Place(uint8_t* magnitude, uint8_t* flags) : magnitude_(magnitude), flags_(flags) {}

  explicit operator bool() const { return magnitude_ != nullptr; }
  const void* at() const { return magnitude_; }
  State Get() const {
    uint16_t magnitude;
    std::memcpy(&magnitude, magnitude_, sizeof(magnitude));
    return State::FromBits((*flags_ & State::kFlagMask) << State::kFlagShift | magnitude);
  }
  void Set(State state) const {
    const auto magnitude = static_cast<uint16_t>(state.bits());
    std::memcpy(magnitude_, &magnitude, sizeof(magnitude));
    *flags_ = static_cast<uint8_t>((*flags_ & ~State::kFlagMask) | state.flags());
  }

 private:
  uint8_t* magnitude_ = nullptr;
  uint8_t* flags_ = nullptr;
};

}  // namespace opic::page_table
