// What each byte means to the URL parser: the code point sets of the URL Standard as one table of
// bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace opic::url {

enum CharacterClass : uint8_t {
  kPathPlain = 1,      // stands for itself inside a path segment; not a separator
  kQueryPlain = 2,     // stands for itself in a query of a special URL
  kHostPlain = 4,      // ASCII, not a forbidden domain code point (so not '%' either)
  kTabOrNewline = 8,   // removed anywhere in the input
  kAuthorityEnd = 16,  // '/', '\', '?', '#': what ends an authority of a special URL
  kSchemePart = 32,    // ASCII alphanumeric, '+', '-', '.'
};

namespace internal {

constexpr bool IsOneOf(int byte, std::string_view set) {
  return set.find(static_cast<char>(byte)) != std::string_view::npos;
}

constexpr bool IsAlphanumeric(int byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z');
}

// Sections "percent-encoded bytes" and "host miscellaneous" of the URL Standard.
constexpr uint8_t ClassesOf(int byte) {
  uint8_t classes = 0;
  const bool graphic = byte > 0x20 && byte < 0x7f;
  if (graphic && !IsOneOf(byte, "\"#<>?^`{}/\\")) classes |= kPathPlain;
  if (graphic && !IsOneOf(byte, "\"#<>'")) classes |= kQueryPlain;
  if (graphic && !IsOneOf(byte, "#/:<>?@[\\]^|%")) classes |= kHostPlain;
  if (IsOneOf(byte, "\t\n\r")) classes |= kTabOrNewline;
  if (IsOneOf(byte, "/\\?#")) classes |= kAuthorityEnd;
  if (IsAlphanumeric(byte) || IsOneOf(byte, "+-.")) classes |= kSchemePart;
  return classes;
}

constexpr std::array<uint8_t, 256> MakeClassTable() {
  std::array<uint8_t, 256> table{};
  for (int byte = 0; byte < 256; ++byte) table[byte] = ClassesOf(byte);
  return table;
}

inline constexpr std::array<uint8_t, 256> kClassTable = MakeClassTable();

}  // namespace internal

inline bool Is(CharacterClass wanted, char c) {
  return (internal::kClassTable[static_cast<uint8_t>(c)] & wanted) != 0;
}

// How many bytes at the start of `bytes` are of the class.
inline size_t RunOf(CharacterClass wanted, std::string_view bytes) {
  size_t size = 0;
  while (size < bytes.size() && Is(wanted, bytes[size])) ++size;
  return size;
}

inline bool IsSlash(char c) { return c == '/' || c == '\\'; }  // alike in special URLs
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}
inline bool IsAscii(char c) { return static_cast<uint8_t>(c) < 0x80; }
inline char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The value of a hexadecimal digit, or -1.
inline int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  const char lower = Lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace opic::url
