#include "links/character_reference.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"
#include "links/ascii.h"
#include "links/near_search.h"

namespace opic::links {
namespace {

constexpr size_t kNameBytesMax = 32;  // CounterClockwiseContourIntegral;

struct NamedReference {
  std::string_view name, text;
};
constexpr NamedReference kNamed[] = {
#include "links/named_references.inc"
};

const NamedReference* FindNamed(std::string_view name) {
  const NamedReference* found = std::lower_bound(
      std::begin(kNamed), std::end(kNamed), name,
      [](const NamedReference& entry, std::string_view key) { return entry.name < key; });
  return found != std::end(kNamed) && found->name == name ? found : nullptr;
}

void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr uint8_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[tail] | code >> (6 * tail));
  for (int i = tail - 1; i >= 0; --i) out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3F));
}

// 13.2.5.80: what numbers that name no character stand for; 0x80 to 0x9F are read as windows-1252.
uint32_t RepairCode(uint32_t code) {
  static constexpr uint16_t kWindows1252[32] = {
      0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
      0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
      0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};
  if (code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return 0xFFFD;
  return code >= 0x80 && code < 0xA0 ? kWindows1252[code - 0x80] : code;
}

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  return Lower(c) >= 'a' && Lower(c) <= 'f' ? Lower(c) - 'a' + 10 : -1;
}

// `text` begins with "&#". The bytes read, 0 when it is no reference.
size_t AppendNumeric(std::string_view text, std::string& out) {
  const bool hex = text.size() > 2 && Lower(text[2]) == 'x';
  const size_t begin = hex ? 3 : 2;
  const uint32_t base = hex ? 16 : 10;
  uint32_t code = 0;
  size_t at = begin;
  for (; at < text.size(); ++at) {
    const int digit = HexValue(text[at]);
    if (digit < 0 || digit >= static_cast<int>(base)) break;
    code = std::min<uint32_t>(code * base + static_cast<uint32_t>(digit), 0x110000);
  }
  if (at == begin) return 0;
  AppendUtf8(RepairCode(code), out);
  return at < text.size() && text[at] == ';' ? at + 1 : at;
}

// `text` begins with "&" and a letter or digit. The bytes read, 0 when it is no reference.
size_t AppendNamed(std::string_view text, std::string& out) {
  size_t end = 1;
  while (end < text.size() && end <= kNameBytesMax && IsAlphanumeric(text[end])) ++end;
  if (end < text.size() && text[end] == ';') ++end;
  for (size_t size = end - 1; size >= 2; --size) {  // the longest name that matches
    const NamedReference* found = FindNamed(text.substr(1, size));
    if (found == nullptr) continue;
    const size_t after = size + 1;
    const bool open = text[size] != ';' && after < text.size() &&
                      (text[after] == '=' || IsAlphanumeric(text[after]));
    if (open) return 0;
    out += found->text;
    return after;
  }
  return 0;
}

size_t AppendReference(std::string_view text, std::string& out) {
  if (text.size() < 2) return 0;
  if (text[1] == '#') return AppendNumeric(text, out);
  return IsAlphanumeric(text[1]) ? AppendNamed(text, out) : 0;
}

}  // namespace

std::string_view DecodeAttribute(std::string_view raw, std::string& buffer) {
  size_t special = FindAny<'&', '\0'>(raw, 0);
  if (special == raw.size()) return raw;
  buffer.clear();
  size_t done = 0;
  while (special != raw.size()) {
    buffer.append(raw, done, special - done);
    done = special + 1;
    if (raw[special] == '\0') {
      buffer += base::kReplacement;
    } else if (const size_t read = AppendReference(raw.substr(special), buffer); read > 0) {
      done = special + read;
    } else {
      buffer += '&';
    }
    special = FindAny<'&', '\0'>(raw, done);
  }
  buffer.append(raw, done);
  return buffer;
}

}  // namespace opic::links
