// "1 page", "2 pages".
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opic::base {

// A count and its noun. The plural is `word` with an s unless it is given.
std::string Counted(uint64_t count, std::string_view word, std::string_view plural = "");

}  // namespace opic::base
