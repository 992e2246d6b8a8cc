#include "base/utf8.h"

#include <cstdint>

namespace opic::base {

Utf8Sequence FirstUtf8Sequence(std::string_view bytes) {
  const auto lead = static_cast<uint8_t>(bytes[0]);
  if (lead < 0x80) return {1, true};
  if (lead < 0xC2 || lead > 0xF4) return {1, false};
  const size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte's range excludes overlong forms, surrogates and what is above U+10FFFF.
  uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (size_t at = 1; at < size; ++at) {
    if (at == bytes.size()) return {at, false};
    const auto byte = static_cast<uint8_t>(bytes[at]);
    if (byte < low || byte > high) return {at, false};
    low = 0x80;
    high = 0xBF;
  }
  return {size, true};
}

bool IsUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Sequence sequence = FirstUtf8Sequence(bytes);
    if (!sequence.valid) return false;
    bytes.remove_prefix(sequence.size);
  }
  return true;
}

std::string PlainText(std::string_view bytes, size_t bytes_max) {
  std::string text;
  while (!bytes.empty()) {
    const Utf8Sequence sequence = FirstUtf8Sequence(bytes);
    std::string_view character = bytes.substr(0, sequence.size);
    const auto lead = static_cast<uint8_t>(character.front());
    const auto last = static_cast<uint8_t>(character.back());
    if (!sequence.valid) {
      character = kReplacement;
    } else if (lead < 0x20 || lead == 0x7F || (lead == 0xC2 && last < 0xA0)) {
      character = "?";
    }
    if (text.size() + character.size() > bytes_max) break;
    text += character;
    bytes.remove_prefix(sequence.size);
  }
  return text;
}

}  // namespace opic::base
