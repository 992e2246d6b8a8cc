// The element names that decide something here; all others are Tag::kOther.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "links/letter_pairs.h"

namespace opic::links {

enum class Tag : uint8_t {
  kOther,
#define OPIC_TAG(id, name, traits) k##id,
#include "links/html_tags.inc"
#undef OPIC_TAG
};

// What the HTML Standard says about an element, as a set of bits.
enum TagTraits : uint16_t {
  kPlain = 0,
  kVoid = 1 << 0,     // has no content and no end tag
  kRawText = 1 << 1,  // its content is text up to its end tag (RCDATA, RAWTEXT, script, PLAINTEXT)
  kFormatting = 1 << 2,  // in the list of active formatting elements
  kClosesP = 1 << 3,     // its start tag ends an open <p>
  kBreakout = 1 << 4,    // its start tag ends SVG or MathML (13.2.6.5)
  kTablePart = 1 << 5,   // structure of a table
  kImplied = 1 << 6,     // its end tag may be left out
  kBlockEnd = 1 << 7,    // its end tag ends the elements with kImplied that are open inside it
  kHoldsHtml = 1 << 8,   // HTML may begin in it, although it is SVG or MathML; not <title>
  kMetadata = 1 << 9,    // may stand before <body>, and does not begin it
  kMeaning = 1 << 10,    // attributes of it mean something here
};

// Case does not matter.
Tag TagOfName(std::string_view name);
// The same of the `size` bytes from `begin` on; faster where the text goes on for sixteen.
Tag TagOfNameIn(std::string_view text, size_t begin, size_t size);

inline constexpr uint16_t kTraits[] = {
    kPlain,
#define OPIC_TAG(id, name, traits) traits,
#include "links/html_tags.inc"
#undef OPIC_TAG
};
inline uint16_t TraitsOf(Tag tag) { return kTraits[static_cast<size_t>(tag)]; }
inline bool Is(Tag tag, uint16_t traits) { return (TraitsOf(tag) & traits) != 0; }

// The first two letters, and the second and third one, of the names that MayMatter knows.
extern const LetterPairs kFirstPairs, kSecondPairs;

// Whether a name that begins with these three bytes (the last of which may be behind it) may be
// that of a tag that is more than a place in the text: one with kRawText, kMetadata or kMeaning,
// <svg>, <math> or <frameset>. Most names, and of those tags none, get false.
inline bool MayMatter(char first, char second, char third) {
  return Has(kFirstPairs, first, second) && Has(kSecondPairs, second, third);
}

}  // namespace opic::links
