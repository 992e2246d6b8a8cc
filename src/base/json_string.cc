#include "base/json_string.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/utf8.h"

namespace opic::base {
namespace {

// Of the control characters above ASCII's first 32: terminals obey some of them.
bool IsLateControl(std::string_view sequence) {
  if (sequence == "\x7f") return true;
  return sequence.size() == 2 && sequence[0] == '\xc2' && static_cast<uint8_t>(sequence[1]) < 0xa0;
}

// How many bytes of `text` stand for themselves before the first that may not.
size_t PlainBytes(std::string_view text) {
  const auto plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), plain) - text.begin());
}

// Its first character. Returns how many bytes that is.
size_t AppendOne(std::string& out, std::string_view text) {
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
  return sequence.valid ? sequence.size : 1;
}

}  // namespace

std::string JsonString(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const size_t plain = PlainBytes(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    text.remove_prefix(AppendOne(out, text));
  }
  out += '"';
}

}  // namespace opic::base
