// Nine numbers compared at once, as the columns of a line have them (line.h). Bit i of a result
// speaks of number i; the bits from 9 on are 0.
//
// Two forms that say the same: one for every processor, and one in SSE2, which every 64-bit x86
// processor has. A table spends most of its time here.
//
// Thread safety: pure.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <cstdint>
#include <cstring>

namespace opic::page_table::lanes {

template <typename T>
T NumberAt(const uint8_t* numbers, int i) {
  T number;
  std::memcpy(&number, numbers + i * sizeof(T), sizeof(T));
  return number;
}

struct Plain {
  template <typename T, typename Says>
  static uint32_t Each(const uint8_t* nine, Says says) {
    uint32_t bits = 0;
    for (int i = 0; i < 9; ++i) bits |= uint32_t{says(NumberAt<T>(nine, i))} << i;
    return bits;
  }

  static uint32_t Equal32(const uint8_t* nine, uint32_t value) {
    return Each<uint32_t>(nine, [&](uint32_t number) { return number == value; });
  }
  static uint32_t AtLeast16(const uint8_t* nine, uint16_t least) {
    return Each<uint16_t>(nine, [&](uint16_t number) { return number >= least; });
  }
  // (number & mask) == value. REQUIRES: 6 bytes before them and one behind can be read.
  static uint32_t Masked8(const uint8_t* nine, uint8_t mask, uint8_t value) {
    return Each<uint8_t>(nine, [&](uint8_t number) { return (number & mask) == value; });
  }
};

#ifdef __SSE2__

struct Sse2 {
  static __m128i Load(const uint8_t* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  }
  static uint32_t Bits(__m128i bytes) { return static_cast<uint32_t>(_mm_movemask_epi8(bytes)); }

  static uint32_t Equal32(const uint8_t* nine, uint32_t value) {
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(value));
    const __m128i first = _mm_cmpeq_epi32(Load(nine), wanted);
    const __m128i second = _mm_cmpeq_epi32(Load(nine + 16), wanted);
    const __m128i eight = _mm_packs_epi16(_mm_packs_epi32(first, second), _mm_setzero_si128());
    return Bits(eight) | uint32_t{NumberAt<uint32_t>(nine, 8) == value} << 8;
  }
  // Without signs: `least` less the number, but not below 0, is 0.
  static uint32_t AtLeast16(const uint8_t* nine, uint16_t least) {
    const __m128i floor = _mm_set1_epi16(static_cast<short>(least));
    const __m128i zero = _mm_setzero_si128();
    const __m128i reached = _mm_cmpeq_epi16(_mm_subs_epu16(floor, Load(nine)), zero);
    return Bits(_mm_packs_epi16(reached, zero)) | uint32_t{NumberAt<uint16_t>(nine, 8) >= least}
                                                      << 8;
  }
  static uint32_t Masked8(const uint8_t* nine, uint8_t mask, uint8_t value) {
    const __m128i masked = _mm_and_si128(Load(nine - 6), _mm_set1_epi8(static_cast<char>(mask)));
    return Bits(_mm_cmpeq_epi8(masked, _mm_set1_epi8(static_cast<char>(value)))) >> 6 & 0x1ff;
  }
};

using Best = Sse2;
#else
using Best = Plain;
#endif

}  // namespace opic::page_table::lanes
