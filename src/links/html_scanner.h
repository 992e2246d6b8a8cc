// The links of an HTML text without a tree: the tags as they come.
//
// Finds what the tree builder finds, in the same order, on well-formed pages. On others it may
// differ where the tree builder would move, repeat or ignore an element: content fostered out of a
// table comes in the order of the source, links in <select> and after <frameset> count, and text
// does not end the head. Linear in the text, whatever it is; no recursion.
#pragma once

#include <string_view>

#include "links/link_elements.h"

namespace opic::links {

// `text` is UTF-8.
//
// Thread safety: pure.
void ScanHtml(std::string_view text, LinkElements& elements);

}  // namespace opic::links
