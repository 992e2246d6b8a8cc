// What is kept of a page's content in order to know which pages of its site say nearly the same
// (docs/decisions/2026-11-27-near-duplicates-merged.md), and when two do.
//
// Thread safety: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "desk/left_out.h"
#include "links/links.h"
#include "links/text_sketch.h"
#include "url/url.h"

namespace opic::desk {

// A page of fewer words is nobody's near duplicate: of short pages every word may count.
inline constexpr uint32_t kNearWordsMin = 64;
// Of two alike pages so many elements differ at most (links/text_sketch.h): three single words are
// replaced, or five that stand together; or a link and its word.
inline constexpr int kNearDifferencesMax = 12;
// Of pages that are similar besides no more than a sixteenth of the words of the shorter one.
inline constexpr uint32_t kNearWordsPerDifference = 16;
// A link that only one of two pages has counts as so many elements: it says what the page is for,
// and a list that has moved on by one entry is another page.
inline constexpr uint64_t kElementsPerLink = 4;

class ContentLinks;  // desk/duplicate.h

struct NearText {
  uint64_t content_hash = 0;  // ContentHashOf (desk/duplicate.h)
  uint64_t site = 0;          // pages of another one are not compared
  // Of the text, with the links in its parity and in what lasts. Its bands and what lasts are of
  // the site: those of others differ. What lasts is 0 of a page without title and headings, and in
  // a text that an earlier release has kept.
  links::TextSketch sketch;

  friend bool operator==(const NearText&, const NearText&) = default;
};

// Of a page that was read. Nothing: it cannot be a duplicate (MayBeDuplicate), has no sketch
// (links::Limits::text_sketch), or too few words.
std::optional<NearText> NearTextOf(const url::Url& page, const links::Result& found,
                                   const ContentLinks& content_links, uint64_t content_hash,
                                   LeftOut left_out);

// Whether they are of one site and near duplicates: their titles, headings and links are the same,
// and of their words only some that change by themselves (links/changing_word.h) differ. A page
// that has neither title nor heading does not say what it is about, and is none.
bool AreNearDuplicates(const NearText& one, const NearText& other);

// Whether they are of one site and differ by a few words, whatever these say. Both are symmetric,
// and not transitive.
bool AreSimilar(const NearText& one, const NearText& other);

// 89 to 93 bytes: content hash, site, bands and parity (8 bytes each, little-endian), the number of
// words (varint), and what lasts (8 bytes, likewise).
std::string Encode(const NearText& text);
std::optional<NearText> DecodeNearText(std::string_view bytes);  // nothing: Encode did not write it

}  // namespace opic::desk
