// Ill-formed HTML to try parsers with, and what Gumbo makes of it.
#pragma once

#include <gumbo.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.h"
#include "links/arena.h"

namespace opic::links {

// One tag or a piece of text; now and then an attribute, an open quote, a comment's end.
inline std::string SoupToken(base::Rng& rng) {
  static constexpr const char* kNames[] = {"a",
                                           "b",
                                           "i",
                                           "font",
                                           "nobr",
                                           "p",
                                           "div",
                                           "span",
                                           "table",
                                           "tr",
                                           "td",
                                           "th",
                                           "tbody",
                                           "thead",
                                           "caption",
                                           "colgroup",
                                           "col",
                                           "ul",
                                           "li",
                                           "dd",
                                           "dt",
                                           "select",
                                           "option",
                                           "optgroup",
                                           "button",
                                           "form",
                                           "h1",
                                           "svg",
                                           "math",
                                           "mi",
                                           "foreignObject",
                                           "desc",
                                           "title",
                                           "style",
                                           "script",
                                           "textarea",
                                           "template",
                                           "frameset",
                                           "frame",
                                           "body",
                                           "html",
                                           "head",
                                           "input",
                                           "br",
                                           "img",
                                           "hr",
                                           "x-y",
                                           "ruby",
                                           "rt",
                                           "marquee",
                                           "object",
                                           "applet",
                                           "pre",
                                           "noscript",
                                           "iframe",
                                           "annotation-xml",
                                           "address",
                                           "tt",
                                           "em",
                                           "image"};
  static constexpr const char* kPieces[] = {"x", "<!--", "-->", "<![CDATA[", "]]>"};
  if (rng.Below(4) == 0) return kPieces[rng.Below(std::size(kPieces))];
  const bool end = rng.Below(5) < 2;
  std::string tag = std::string(end ? "</" : "<") + kNames[rng.Below(std::size(kNames))];
  if (rng.Below(8) == 0) tag += " a=" + std::to_string(rng.Below(100));
  if (rng.Below(10) == 0) tag += "/";
  if (rng.Below(40) == 0) tag += " q='";
  return tag + ">";
}

// A beginning, and a few tokens over and over, so that whatever they leave behind piles up.
inline std::string TagSoup(base::Rng& rng, size_t bytes) {
  std::string soup, unit;
  for (uint64_t i = rng.Below(8); i > 0; --i) soup += SoupToken(rng);
  for (uint64_t i = 1 + rng.Below(8); i > 0; --i) unit += SoupToken(rng);
  while (soup.size() < bytes) soup += unit;
  return soup;
}

struct TreeSize {
  size_t depth = 0;
  size_t bytes = 0;
  // The elements come as they do in the text. Content between the cells of a table does not: it is
  // put before the table (HTML Standard, 13.2.6.1).
  bool in_order = true;
};

inline TreeSize MeasureTree(const std::string& text) {
  Arena arena(size_t{1} << 31, [] {});
  GumboOptions options = kGumboDefaultOptions;
  options.userdata = &arena;
  options.allocator = [](void* from, size_t size) {
    return static_cast<Arena*>(from)->Allocate(size);
  };
  options.deallocator = [](void* to, void* pointer) { static_cast<Arena*>(to)->Free(pointer); };
  options.max_errors = 0;
  const GumboOutput* output = gumbo_parse_with_options(&options, text.data(), text.size());
  constexpr unsigned kRepetition =
      GUMBO_INSERTION_ADOPTION_AGENCY_CLONED | GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT;
  unsigned furthest = 0;
  TreeSize size;
  std::vector<std::pair<const GumboNode*, size_t>> ahead = {{output->root, 1}};
  while (!ahead.empty()) {  // in the order of the tree
    const auto [node, depth] = ahead.back();
    ahead.pop_back();
    size.depth = std::max(size.depth, depth);
    if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE) continue;
    if ((node->parse_flags & kRepetition) == 0) {
      const unsigned offset = node->v.element.start_pos.offset;
      size.in_order &= offset >= furthest;
      furthest = std::max(furthest, offset);
    }
    const GumboVector& children = node->v.element.children;
    for (unsigned i = children.length; i-- > 0;)
      ahead.push_back({static_cast<const GumboNode*>(children.data[i]), depth + 1});
  }
  size.bytes = arena.bytes();
  return size;
}

}  // namespace opic::links
