// A bucket of the page table: one cache line with 9 slots, in columns, so that all slots are looked
// at with a few instructions (lanes.h).
//
//   bytes 0..35   of each slot the low 32 bits of its key
//   bytes 36..53  of each slot the magnitude of its cell (cash/cell.h)
//   bytes 54..62  of each slot, bits 7..3: the high 5 bits of its key | 2 done | 1 ordered | 0 debt
//   byte 63       unused
//
// The *tag* is the page's remainder plus one, so that a slot of zeros is empty and fresh memory
// needs no preparation. *away* says that the page lies in its second line, not in its first
// (segment.h). Tag and away together are the slot's *key*: unique in its line.
#pragma once

#include <bit>
#include <cstdint>

#include "page_table/lanes.h"
#include "page_table/place.h"

namespace opic::page_table {

inline constexpr int kSlotsALine = 9;
inline constexpr int kTagBits = 36;
inline constexpr int kKeyBits = kTagBits + 1;
inline constexpr uint64_t kTagMask = (uint64_t{1} << kTagBits) - 1;
inline constexpr uint64_t kAway = uint64_t{1} << kTagBits;
inline constexpr uint64_t kNoKey = 0;  // of an empty slot

// Which states are looked for: those whose flags are `flags` among the bits of `mask`, with at
// least this magnitude. Bits as in State, from kFlagShift on.
struct Wanted {
  uint8_t mask = 0;
  uint8_t flags = 0;
  uint16_t magnitude = 0;

  bool Is(State state) const {
    return (state.flags() & mask) == flags && state.magnitude() >= magnitude;
  }
};

struct alignas(64) Line {
  uint64_t key(int slot) const {
    const uint64_t high = rest()[slot] >> State::kFlags;
    return high << 32 | lanes::NumberAt<uint32_t>(bytes, slot);
  }
  State state(int slot) const {
    const uint32_t flags = rest()[slot] & State::kFlagMask;
    return State::FromBits(flags << State::kFlagShift |
                           lanes::NumberAt<uint16_t>(magnitudes(), slot));
  }
  Place place(int slot) { return {bytes + kMagnitudes + 2 * slot, bytes + kRest + slot}; }

  // The slots with this key, slot i as bit i.
  uint32_t SlotsWith(uint64_t key) const {
    const auto high = static_cast<uint8_t>(key >> 32 << State::kFlags);
    return lanes::Best::Equal32(bytes, static_cast<uint32_t>(key)) &
           lanes::Best::Masked8(rest(), static_cast<uint8_t>(~State::kFlagMask), high);
  }
  // The slot with `key`, the first of several, or -1. Compares all slots: cheaper than branching at
  // each.
  int SlotOf(uint64_t key) const {
    const uint32_t slots = SlotsWith(key);
    return slots == 0 ? -1 : std::countr_zero(slots);
  }
  // The slots of pages in such a state, slot i as bit i.
  uint32_t SlotsOf(const Wanted& wanted) const {
    const uint32_t rich = lanes::Best::AtLeast16(magnitudes(), wanted.magnitude);
    if (rich == 0) return 0;  // of most lines, where a sweep has a floor
    return rich & lanes::Best::Masked8(rest(), wanted.mask, wanted.flags) & ~SlotsWith(kNoKey);
  }

  // The slots of pages that are in their second line, slot i as bit i.
  uint32_t SlotsAway() const {
    constexpr auto kAwayBit = static_cast<uint8_t>(kAway >> 32 << State::kFlags);
    return lanes::Best::Masked8(rest(), kAwayBit, kAwayBit);
  }

  void Put(int slot, uint64_t key, State state) {
    const auto low = static_cast<uint32_t>(key);
    std::memcpy(bytes + slot * sizeof(low), &low, sizeof(low));
    bytes[kRest + slot] = static_cast<uint8_t>(key >> 32 << State::kFlags);
    place(slot).Set(state);
  }
  void Clear(int slot) { Put(slot, kNoKey, State()); }

  static constexpr int kMagnitudes = kSlotsALine * sizeof(uint32_t);
  static constexpr int kRest = kMagnitudes + kSlotsALine * sizeof(uint16_t);
  const uint8_t* magnitudes() const { return bytes + kMagnitudes; }
  const uint8_t* rest() const { return bytes + kRest; }

  uint8_t bytes[64];
};

static_assert(sizeof(Line) == 64);
static_assert(Line::kRest + kSlotsALine < static_cast<int>(sizeof(Line)));
static_assert(kKeyBits - 32 + State::kFlags == 8);

}  // namespace opic::page_table
