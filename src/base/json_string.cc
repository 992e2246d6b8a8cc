#include "base/json_string.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/utf8.h"

namespace opic::base {
namespace {

// Of the control characters above ASCII's first 32: terminals obey some of them.
bool IsLateControl(std::string_view sequence) {
  if (sequence == "\x7f") return true;
  return sequence.size() == 2 && sequence[0] == '\xc2' && static_cast<uint8_t>(sequence[1]) < 0xa0;
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Sequence sequence = FirstUtf8Sequence(text);
    const char c = text[0];
    if (!sequence.valid) {
      out += kReplacement;
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<uint8_t>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else if (IsLateControl(text.substr(0, sequence.size))) {
      out += fmt::format("\\u{:04x}", static_cast<uint8_t>(text[sequence.size - 1]));
    } else {
      out += text.substr(0, sequence.size);
    }
    text.remove_prefix(sequence.valid ? sequence.size : 1);
  }
  return out + "\"";
}

}  // namespace opic::base
