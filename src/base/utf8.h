// UTF-8 as the Encoding Standard decodes it (https://encoding.spec.whatwg.org/#utf-8-decoder).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opic::base {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The first sequence of some bytes: one valid code point, or the bytes that one U+FFFD replaces.
struct Utf8Sequence {
  size_t size = 0;
  bool valid = false;
};

// REQUIRES: `bytes` is not empty.
Utf8Sequence FirstUtf8Sequence(std::string_view bytes);

bool IsUtf8(std::string_view bytes);

// At most `bytes_max` bytes, cut between two characters. U+FFFD stands for what is no UTF-8, '?'
// for a control character (U+0000 to U+001F, U+007F to U+009F).
std::string PlainText(std::string_view bytes, size_t bytes_max);

}  // namespace opic::base
