// Whether Gumbo may be given a text: a linear look at its tags that bounds what the tree builder
// would do.
//
// Gumbo 0.10.1 costs much more than linear time and memory on some texts (figures in
// tests/bench/links_bench.cc): every tag may walk the stack of open elements; every paragraph
// re-creates all formatting elements that were left open, with their attributes; every piece of
// content that is not allowed in a table searches all children of the table's parent; attributes of
// one tag are compared pairwise. The guard keeps its own stack of open elements and adds up these
// costs.
//
// The stack errs on one side: an end tag closes an element here only where it surely does so for
// the tree builder, so that the depth here is never below the real one, save for what the tree
// builder adds by itself: <html>, <body>, and a <tbody> and <tr> in each table (twice the depth at
// most). Where raw text cannot be told from markup without a tree (a <title> in <svg> or <select>,
// with "<" in it), the text is refused.
//
// What the guard refuses is read by the linear scanner: a refusal costs nothing but the tree.
#pragma once

#include <cstdint>
#include <string_view>

namespace opic::links {

enum class GuardVerdict : uint8_t { kSafe, kTooLarge, kTooDeep, kTooCostly, kAmbiguous };

struct GuardLimits {
  size_t bytes_max = 8 << 20;
  size_t depth_max = 400;  // open elements
  // Extra work, in steps of a few nanoseconds: a page that is read in the usual time does one a
  // byte.
  uint64_t work_per_byte_max = 32;
  uint64_t work_free = 1'000'000;  // allowed to a text of any size
};

// Thread safety: pure.
GuardVerdict CheckForGumbo(std::string_view text, const GuardLimits& limits);

}  // namespace opic::links
