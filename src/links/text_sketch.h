// What is kept of a text in order to find others that differ from it by a few words
// (docs/decisions/2026-11-24-near-duplicates.md).
//
// The elements of a text are its pairs of neighbouring words, each time that they occur. A word is
// in two of them, so one replaced word makes a difference of four, and k neighbouring ones of
// 2k + 2. A name that a page is about occurs in many places, and each makes its own difference.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace opic::links {

struct TextSketch {
  // Longer words count as pieces: a script without spaces has words as long as a paragraph.
  static constexpr size_t kWordBytesMax = 16;
  static constexpr size_t kBands = 4, kBins = 32, kParityWords = 4;

  // To find texts with: those that share all but the share d of their elements have a band in
  // common with probability 1 - (1 - (1 - d)^8)^4: 99 % at d = 0.05, 1 % at d = 0.55. Each is a
  // hash of the least elements of 8 of 32 bins (minhash by one permutation).
  std::array<uint64_t, kBands> bands{};
  // To compare texts with: a bit for each hash, flipped by each element ("odd sketch"). Of two
  // texts as many bits differ as there are elements of one alone, less those that fall together.
  std::array<uint64_t, kParityWords> parity{};
  // Of the words in their order, without those that change by themselves (changing_word.h): two
  // texts that differ in such words alone have the same.
  uint64_t lasting = 0;
  uint32_t words = 0;  // of the text, long ones by piece

  friend bool operator==(const TextSketch&, const TextSketch&) = default;
};

// `words`: each followed by a space. Time is linear in it.
TextSketch SketchOf(std::string_view words);

// Adds something that counts beside the text; what is added twice is not there.
void Flip(uint64_t hash, TextSketch& sketch);

// About how many elements one of both has and the other has not: right to one or two up to 30, at
// most 256, and some 128 of texts that have nothing in common.
int Differences(const TextSketch& one, const TextSketch& other);

}  // namespace opic::links
