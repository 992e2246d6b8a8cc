#include "base/json_string.h"

#include <fmt/format.h>

#include <cstdint>

namespace opic::base {
namespace {

// Length of the well-formed UTF-8 sequence at `at`, 0 when there is none.
size_t Utf8Length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<uint8_t>(text[at + i]) : 0;
  };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0 && tail(1)) return 2;
  if (lead >= 0xe0 && lead < 0xf0 && tail(1) && tail(2) && (lead != 0xe0 || byte(1) >= 0xa0) &&
      (lead != 0xed || byte(1) < 0xa0)) {
    return 3;
  }
  if (lead >= 0xf0 && lead < 0xf5 && tail(1) && tail(2) && tail(3) &&
      (lead != 0xf0 || byte(1) >= 0x90) && (lead != 0xf4 || byte(1) < 0x90)) {
    return 4;
  }
  return 0;
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const size_t length = Utf8Length(text, i);
    const char c = text[i];
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (length == 1 && static_cast<uint8_t>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out.append(text.substr(i, length));
    }
    i += length;
  }
  return out + "\"";
}

}  // namespace opic::base
