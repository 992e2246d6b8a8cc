// Which letters follow each other in some words: tells from their first letters that most other
// words are none of them, sooner than a search for the word would.
//
// Thread safety: pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "links/ascii.h"

namespace opic::links {

// By the low six bits of both bytes.
using LetterPairs = std::array<uint64_t, 64>;

constexpr bool Has(const LetterPairs& pairs, char one, char next) {
  return (pairs[static_cast<uint8_t>(one) & 63] >> (static_cast<uint8_t>(next) & 63) & 1) != 0;
}

// Adds the bytes that may stand at the offset `at` of a word, in any case, and behind that: its
// letters, right behind its end those of which may_end(byte) is true, and further on all.
template <typename MayEnd>
constexpr void AddPairs(std::string_view word, size_t at, MayEnd may_end, LetterPairs& pairs) {
  const auto may_stand = [&](size_t offset, char byte) {
    if (offset < word.size()) return Lower(byte) == Lower(word[offset]);
    return offset > word.size() || may_end(byte);
  };
  for (int one = 0; one < 128; ++one) {
    if (!may_stand(at, static_cast<char>(one))) continue;
    for (int next = 0; next < 128; ++next) {
      if (may_stand(at + 1, static_cast<char>(next)))
        pairs[static_cast<size_t>(one & 63)] |= uint64_t{1} << (next & 63);
    }
  }
}

}  // namespace opic::links
