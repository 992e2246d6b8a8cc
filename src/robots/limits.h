// How much of a robots.txt counts.
#pragma once

#include <cstddef>

#include "absl/time/time.h"

namespace opic::robots {

// What is read, eight times what RFC 9309 section 2.5 asks for and five times the longest file that
// we know of. A longer body is *cut*: its first lines count, as far as they are whole. As what
// follows may forbid anything, every path that no rule of ours speaks of is then disallowed:
// "Disallow: /" is added to the rules read.
inline constexpr size_t kRobotsBytesMax = 4 << 20;
// What is kept of that: the bytes of the Allow and Disallow lines that are for us, and of those for
// everyone, each. Comments, blanks and the groups of others need none. Where more would have to be
// kept, the rules are cut as above. Of sitemaps as many bytes are kept; more are left out, as they
// forbid nothing.
inline constexpr size_t kKeptBytesMax = 1 << 20;
// What the rules with wildcards may cost a path, in steps of about a nanosecond: one for each rule
// whose beginning, before its first "*", is another; for the others the length of the path, and 16
// for each "*". Enough for 30,000 such rules and a path of 100 bytes. A path that needs more is
// disallowed: it is not known what is said of it.
inline constexpr size_t kWildcardStepsMax = 4 << 20;
inline constexpr absl::Duration kCrawlDelayMax = absl::Hours(1);  // longer is cut to this

}  // namespace opic::robots
