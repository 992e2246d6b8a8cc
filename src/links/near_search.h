// Searches for bytes that are mostly near, as those of markup are: sixteen at once by SSE2, which
// each x86-64 processor has, and without a call.
//
// Thread safety: pure, and values.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "links/ascii.h"

#ifdef __x86_64__
#include <emmintrin.h>
#endif

namespace opic::links {

#ifdef __x86_64__
inline __m128i Load16(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}

// All bits of each byte that is one of kBytes, none of the others.
template <char... kBytes>
__m128i Marked(__m128i block) {
  return (_mm_cmpeq_epi8(block, _mm_set1_epi8(kBytes)) | ...);
}

// Bit i: byte i is one of kBytes.
template <char... kBytes>
uint32_t MaskOf(__m128i block) {
  return static_cast<uint32_t>(_mm_movemask_epi8(Marked<kBytes...>(block)));
}

// 64 bytes, asked for one mask or several.
class Bytes64 {
 public:
  explicit Bytes64(const char* bytes)
      : blocks_{Load16(bytes), Load16(bytes + 16), Load16(bytes + 32), Load16(bytes + 48)} {}
  // Bit i: what mask16 says of byte i of sixteen.
  template <typename Mask16>
  uint64_t Mask(Mask16 mask16) const {
    const uint32_t low = mask16(blocks_[0]) | mask16(blocks_[1]) << 16;
    const uint32_t high = mask16(blocks_[2]) | mask16(blocks_[3]) << 16;
    return uint64_t{high} << 32 | low;
  }

 private:
  const __m128i blocks_[4];
};
#endif

// The offset of the first byte at or after `from` that is one of kBytes; the text's size without
// one. REQUIRES: from <= text.size().
template <char... kBytes>
inline size_t FindAny(std::string_view text, size_t from) {
#ifdef __x86_64__
  for (; text.size() - from >= 16; from += 16) {
    const uint32_t found = MaskOf<kBytes...>(Load16(text.data() + from));
    if (found != 0) return from + static_cast<size_t>(std::countr_zero(found));
  }
#endif
  while (from < text.size() && !((text[from] == kBytes) || ...)) ++from;
  return from;
}

// As FindAny of white space and kBytes: what ends a name in a tag. Most names have no control
// characters, so that one comparison does for all white space.
template <char... kBytes>
inline size_t FindNameEnd(std::string_view text, size_t from) {
#ifdef __x86_64__
  const __m128i blanks = _mm_set1_epi8(' ');
  while (text.size() - from >= 16) {
    const __m128i block = Load16(text.data() + from);
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(block, blanks), block);
    const auto found =
        static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(low, Marked<kBytes...>(block))));
    if (found == 0) {
      from += 16;
      continue;
    }
    from += static_cast<size_t>(std::countr_zero(found));
    if (IsSpace(text[from]) || ((text[from] == kBytes) || ...)) return from;
    ++from;
  }
#endif
  return FindAny<' ', '\t', '\n', '\f', '\r', kBytes...>(text, from);
}

// Calls visit(offset) for each byte of `text` that is `kByte`, in order.
template <char kByte, typename Visit>
void ForEachOf(std::string_view text, Visit visit) {
  size_t at = 0;
#ifdef __x86_64__
  for (; text.size() - at >= 16; at += 16) {
    for (uint32_t found = MaskOf<kByte>(Load16(text.data() + at)); found != 0; found &= found - 1)
      visit(at + static_cast<size_t>(std::countr_zero(found)));
  }
#endif
  for (; at < text.size(); ++at) {
    if (text[at] == kByte) visit(at);
  }
}

}  // namespace opic::links
