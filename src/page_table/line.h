// A bucket of the page table: one cache line with 9 slots of 7 bytes; the last byte is unused.
//
//   slot, bits 55..39 cash cell | 38 ordered | 37 done | 36 away | 35..0 tag
//
// The *tag* is the page's remainder plus one, so that a slot of zeros is empty and fresh memory
// needs no preparation. *away* says that the page lies in its second line, not in its first
// (segment.h). Tag and away together are the slot's *key*: unique in its line.
#pragma once

#include <bit>
#include <cstdint>

#include "page_table/place.h"

namespace opic::page_table {

inline constexpr int kSlotsALine = 9;
inline constexpr int kSlotBytes = 7;
inline constexpr int kTagBits = 36;
inline constexpr int kKeyBits = kTagBits + 1;
inline constexpr uint64_t kTagMask = (uint64_t{1} << kTagBits) - 1;
inline constexpr uint64_t kKeyMask = (uint64_t{1} << kKeyBits) - 1;
inline constexpr uint64_t kAway = uint64_t{1} << kTagBits;
inline constexpr uint64_t kNoKey = 0;  // of an empty slot

struct alignas(64) Line {
  // The slot's 56 bits; the 8 above them are the neighbour's first byte or the unused one.
  uint64_t word(int slot) const { return LoadWord(bytes + slot * kSlotBytes); }
  uint64_t key(int slot) const { return word(slot) & kKeyMask; }
  Place place(int slot) { return Place(bytes + slot * kSlotBytes, kKeyBits); }
  State state(int slot) const {
    return State::FromBits(word(slot) >> kKeyBits & ((1u << State::kBits) - 1));
  }

  // The slot with `key`, or -1. Compares all slots: cheaper than branching at each.
  int SlotOf(uint64_t key) const {
    uint32_t matches = 0;
#pragma GCC unroll 9
    for (int slot = 0; slot < kSlotsALine; ++slot) {
      matches |= uint32_t{((word(slot) ^ key) & kKeyMask) == 0} << slot;
    }
    return matches == 0 ? -1 : std::countr_zero(matches);
  }

  void Put(int slot, uint64_t key, State state) {
    constexpr uint64_t kSlotMask = (uint64_t{1} << (8 * kSlotBytes)) - 1;
    uint8_t* at = bytes + slot * kSlotBytes;
    StoreWord(at, (LoadWord(at) & ~kSlotMask) | state.bits() << kKeyBits | key);
  }
  void Clear(int slot) { Put(slot, kNoKey, State()); }

  uint8_t bytes[64];
};

static_assert(sizeof(Line) == 64);
static_assert(kKeyBits + State::kBits == 8 * kSlotBytes);
static_assert((kSlotsALine - 1) * kSlotBytes + sizeof(uint64_t) <= sizeof(Line));

}  // namespace opic::page_table
