// What somebody gave us, put into a message: between quotation marks, and cut when it is long, so
// that no error echoes a megabyte.
#pragma once

#include <string>
#include <string_view>

namespace opic::base {

inline constexpr size_t kQuotedBytesMax = 200;

// Control characters become '?'.
std::string Quoted(std::string_view text);

}  // namespace opic::base
