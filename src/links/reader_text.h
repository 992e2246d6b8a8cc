// The text of an HTML page that a reader sees, as a digest: whether the page has changed, and not
// only a token, a script or a comment in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "links/text_sketch.h"

namespace opic::links {

struct ReaderText {
  uint64_t digest = 0;  // never 0 of a document
  size_t bytes = 0;     // of the words, with a space after each
  // Of the words, when asked for. In TextSketch::lasting every word of the title and of headings
  // counts: a number there tells what the page is about. It is 0 of a page that has neither.
  TextSketch sketch;
};

// Of the title and the text between tags, words separated by single spaces: no comments,
// attributes, scripts, style sheets and other raw text. Character references count as written.
// `html` in any encoding that extends ASCII. Total; linear in time and memory.
//
// Thread safety: pure.
ReaderText ReaderTextOf(std::string_view html, bool with_sketch = false);

}  // namespace opic::links
