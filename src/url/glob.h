// Patterns over whole texts: '*' stands for any run of bytes (none too), '?' for any one byte.
#pragma once

#include <string_view>

namespace opic::url {

// Whether `pattern` matches the whole of `text`. Time at most |pattern| * |text|; no recursion, no
// memory.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace opic::url
