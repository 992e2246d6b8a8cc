// Path patterns of robots.txt rules and how paths are compared with them (RFC 9309
// section 2.2.2, 2.2.3).
#pragma once

#include <string>
#include <string_view>

namespace opic::robots {

// Both sides of a comparison are brought to one spelling, octet by octet:
//   %XX of an unreserved character   the character          %7Ea -> ~a
//   any other %XX                    upper-case digits      %c3%a4 -> %C3%A4, %2f -> %2F
//   reserved, raw                    as it is               / ? & =    (so "/" and "%2F" differ)
//   anything else, raw               percent-encoded        ä -> %C3%A4, % (without digits) -> %25
// "*" and "$" become %2A and %24 in a path and where they are no wildcards in a pattern.
std::string NormalisedPath(std::string_view path_and_query);
// Keeps "*" anywhere and "$" at the end: the wildcards.
std::string NormalisedPattern(std::string_view pattern);

// `pattern` describes a beginning of `path`, or the whole of it when it ends in "$". Both
// normalised. Greedy: the leftmost place of each part between two "*" leaves the most for the next,
// so nothing is tried twice.
bool Matches(std::string_view pattern, std::string_view path);

}  // namespace opic::robots
