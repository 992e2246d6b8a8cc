// The links of an HTML text by Gumbo's tree.
#pragma once

#include <cstddef>
#include <string_view>

#include "links/link_elements.h"

namespace opic::links {

struct GumboOutcome {
  bool finished = false;   // false: the memory cap was passed, `elements` has seen nothing
  size_t arena_bytes = 0;  // what the tree took; for tests
};

// `text` is UTF-8 that the guard (html_guard.h) found safe. Elements are shown in tree order, those
// in templates and the tree builder's own repetitions left out.
//
// The tree takes little more than `arena_bytes_max`: when that is passed, the rest of the text is
// blanked under Gumbo, which can neither fail to get memory nor be stopped, and the tree is thrown
// away.
//
// Thread safety: pure.
GumboOutcome GumboLinks(std::string_view text, size_t arena_bytes_max, LinkElements& elements);

}  // namespace opic::links
