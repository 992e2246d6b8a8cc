// The links of an HTML text without a tree: the tags as they come.
//
// Finds what the tree builder finds, in the same order, on well-formed pages. On others it may
// differ where the tree builder would move, repeat or ignore an element: content fostered out of a
// table comes in the order of the source, links in <select> and after <frameset> count, and text
// does not end the head. Linear in the text, whatever it is; no recursion.
#pragma once

#include <string_view>

#include "links/link_elements.h"
#include "links/reader_text.h"

namespace opic::links {

// `html` is UTF-8.
//
// Thread safety: pure.
void ScanHtml(std::string_view html, LinkElements& elements);
// The same, and `text` is given the tags, too, up to where SVG or MathML is read differently for a
// text, or no later link can be taken. text.Finish() is the text's, as of ReaderTextOf(html).
// REQUIRES: `text` is of `html`, and was given none.
void ScanHtml(std::string_view html, LinkElements& elements, TextSink& text);

}  // namespace opic::links
