// Percent-encoding (URL Standard, section 1.3 "percent-encoded bytes").
#pragma once

#include <string>
#include <string_view>

namespace opic::url {

// Moves the first code point of `input` to `out`, percent-encoded; malformed UTF-8 as U+FFFD.
// REQUIRES: `input` is not empty.
void MoveEncoded(std::string_view& input, std::string& out);

// "%41" becomes "A"; a '%' without two hexadecimal digits stays.
std::string PercentDecoded(std::string_view text);

}  // namespace opic::url
