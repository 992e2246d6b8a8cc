#include "url/glob.h"

#include <cstddef>

namespace opic::url {

// Only the last '*' passed is ever retried: where an earlier one ended first, it leaves the most to
// match, so giving it more cannot help.
bool GlobMatches(std::string_view pattern, std::string_view text) {
  constexpr size_t kNoStar = std::string_view::npos;
  size_t in_pattern = 0, in_text = 0;
  size_t after_star = kNoStar, star_end = 0;  // the last '*' takes the text up to `star_end`
  while (in_text < text.size()) {
    const bool more = in_pattern < pattern.size();
    if (more && pattern[in_pattern] == '*') {
      after_star = ++in_pattern;
      star_end = in_text;
    } else if (more && (pattern[in_pattern] == '?' || pattern[in_pattern] == text[in_text])) {
      ++in_pattern;
      ++in_text;
    } else if (after_star != kNoStar) {
      in_pattern = after_star;
      in_text = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

}  // namespace opic::url
