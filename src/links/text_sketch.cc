#include "links/text_sketch.h"

#include <algorithm>
#include <bit>

#include "base/encoding.h"
#include "links/ascii.h"
#include "links/changing_word.h"
#include "links/near_search.h"
#include "links/occurrences.h"

namespace opic::links {
namespace {

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio
// Of longer texts later pairs may count only if they occur an odd number of times. It bounds the
// memory of making a sketch: half a megabyte.
constexpr size_t kWordsCounted = 32'768;
constexpr size_t kBinsOfBand = TextSketch::kBins / TextSketch::kBands;

// Depends on the order of both, and every bit of it on all of theirs.
uint64_t Pair(uint64_t before, uint64_t word) {
  uint64_t hash = (std::rotl(before, 23) ^ word) * kOdd;
  hash ^= hash >> 32;
  hash *= kOdd;
  return hash ^ hash >> 29;
}

inline void FlipBit(uint64_t hash, TextSketch& sketch) {
  const size_t bit = hash % (64 * TextSketch::kParityWords);
  sketch.parity[bit / 64] ^= uint64_t{1} << bit % 64;
}

Occurrences OccurrencesOf(std::string_view text) {
  size_t words = 1 + text.size() / TextSketch::kWordBytesMax;
  ForEachOf<' '>(text, [&words](size_t) { ++words; });
  return Occurrences(std::min(words, kWordsCounted));
}

class Sketcher {
 public:
  explicit Sketcher(std::string_view text) : occurrences_(OccurrencesOf(text)) {
    least_.fill(UINT64_MAX);
  }

  void Add(std::string_view word, bool has_digit) {
    const bool lasts = !ChangesByItself(word, has_digit);
    for (; word.size() > TextSketch::kWordBytesMax; word.remove_prefix(TextSketch::kWordBytesMax))
      AddPiece(word.substr(0, TextSketch::kWordBytesMax), lasts);
    if (!word.empty()) AddPiece(word, lasts);
  }

  TextSketch Take() {
    for (size_t band = 0; band < TextSketch::kBands; ++band) {
      uint64_t hash = band;
      for (size_t bin = 0; bin < kBinsOfBand; ++bin)
        hash = Pair(hash, least_[band * kBinsOfBand + bin]);
      sketch_.bands[band] = hash;
    }
    return sketch_;
  }

 private:
  void AddPiece(std::string_view piece, bool lasts) {
    const uint64_t word = base::Hash64(piece);
    if (lasts) sketch_.lasting = Pair(sketch_.lasting, word);
    const uint64_t element = Pair(before_, word);
    before_ = word;
    ++sketch_.words;
    // What comes twice would be gone again.
    const uint64_t before = occurrences_.Before(element);
    const uint64_t repeated = Pair(element, before);
    FlipBit(before == 0 ? element : repeated, sketch_);
    uint64_t& least = least_[element >> 59];  // of 32 bins
    least = std::min(least, element);
  }

  TextSketch sketch_;
  Occurrences occurrences_;
  std::array<uint64_t, TextSketch::kBins> least_;
  uint64_t before_ = 0;
};

// Calls visit(word, whether a digit is in it) for what is in front of each space, and behind the
// last one.
template <typename Visit>
void VisitWords(std::string_view text, Visit visit) {
  size_t at = 0, begin = 0;
  bool digit = false;  // from `begin` on
#ifdef __x86_64__
  for (; text.size() - at >= 64; at += 64) {
    const Bytes64 bytes(text.data() + at);
    uint64_t digits = bytes.Mask([](__m128i block) {
      const __m128i above = _mm_sub_epi8(block, _mm_set1_epi8('0'));
      return static_cast<uint32_t>(
          _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(9)), above)));
    });
    for (uint64_t spaces = bytes.Mask(MaskOf<' '>); spaces != 0; spaces &= spaces - 1) {
      const uint64_t before = (spaces & -spaces) - 1;
      const size_t end = at + static_cast<size_t>(std::countr_zero(spaces));
      visit(text.substr(begin, end - begin), digit || (digits & before) != 0);
      begin = end + 1;
      digit = false;
      digits &= ~before;
    }
    digit |= digits != 0;
  }
#endif
  for (; at < text.size(); ++at) {
    if (text[at] == ' ') {
      visit(text.substr(begin, at - begin), digit);
      begin = at + 1;
      digit = false;
    } else {
      digit |= IsDigit(text[at]);
    }
  }
  visit(text.substr(begin), digit);
}

}  // namespace

TextSketch SketchOf(std::string_view words) {
  Sketcher sketcher(words);
  VisitWords(words, [&](std::string_view word, bool has_digit) { sketcher.Add(word, has_digit); });
  return sketcher.Take();
}

void Flip(uint64_t hash, TextSketch& sketch) { FlipBit(hash, sketch); }

int Differences(const TextSketch& one, const TextSketch& other) {
  int differ = 0;
  for (size_t i = 0; i < TextSketch::kParityWords; ++i)
    differ += std::popcount(one.parity[i] ^ other.parity[i]);
  return differ;
}

}  // namespace opic::links
