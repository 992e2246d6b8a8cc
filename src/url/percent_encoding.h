// Percent-encoding (URL Standard, section 1.3 "percent-encoded bytes").
#pragma once

#include <string>
#include <string_view>

namespace opic::url {

// Moves the first code point of `input` to `out`, percent-encoded; malformed UTF-8 as U+FFFD.
// REQUIRES: `input` is not empty.
void MoveEncoded(std::string_view& input, std::string& out);

// `text`, or, if that is not UTF-8, each of its bytes above ASCII percent-encoded by itself: a URL
// of a header or of robots.txt, whose encoding nobody names, leads where browsers find it.
std::string EncodedUnlessUtf8(std::string_view text);

// "%41" becomes "A"; a '%' without two hexadecimal digits stays.
std::string PercentDecoded(std::string_view text);

}  // namespace opic::url
