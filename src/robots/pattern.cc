#include "robots/pattern.h"

#include <cstring>

#include "absl/strings/ascii.h"

namespace opic::robots {
namespace {

// RFC 3986 sections 2.3 and 2.2.
bool IsUnreserved(unsigned char c) {
  return absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
bool IsReserved(unsigned char c) {
  return c != 0 && std::strchr(":/?#[]@!$&'()*+,;=", c) != nullptr;
}

int HexValue(unsigned char c) {
  if (absl::ascii_isdigit(c)) return c - '0';
  return absl::ascii_isxdigit(c) ? absl::ascii_tolower(c) - 'a' + 10 : -1;
}

// The octet that the "%XX" at `at` stands for, or -1 where there is none.
int EncodedOctet(std::string_view text, size_t at) {
  if (text[at] != '%' || text.size() - at < 3) return -1;
  const int high = HexValue(text[at + 1]);
  const int low = HexValue(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

void AppendEncoded(std::string& out, unsigned char octet) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  out += '%';
  out += kDigits[octet >> 4];
  out += kDigits[octet & 15];
}

// A '%' that begins no octet is one itself: left as it is, it would begin one with what follows
// decoded ("%c%41" is not "%cA").
void AppendNormalised(std::string& out, std::string_view text, bool keep_stars) {
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = text[i];
    if (const int octet = EncodedOctet(text, i); octet >= 0) {
      IsUnreserved(octet) ? out.push_back(octet) : AppendEncoded(out, octet);
      i += 2;
    } else if (c == '*' ? keep_stars : c != '$' && (IsUnreserved(c) || IsReserved(c))) {
      out.push_back(c);
    } else {
      AppendEncoded(out, c);
    }
  }
}

// memmem, unlike string_view::find, is linear for any needle.
size_t Find(std::string_view text, std::string_view part, size_t from) {
  const void* at = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return at ? static_cast<const char*>(at) - text.data() : std::string_view::npos;
}

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

std::string NormalisedPath(std::string_view path_and_query) {
  std::string out;
  out.reserve(path_and_query.size());
  AppendNormalised(out, path_and_query, /*keep_stars=*/false);
  return out;
}

std::string NormalisedPattern(std::string_view pattern) {
  const bool anchored = !pattern.empty() && pattern.back() == '$';
  if (anchored) pattern.remove_suffix(1);
  std::string out;
  AppendNormalised(out, pattern, /*keep_stars=*/true);
  if (anchored) out += '$';
  return out;
}

bool Matches(std::string_view pattern, std::string_view path) {
  const bool anchored = !pattern.empty() && pattern.back() == '$';
  if (anchored) pattern.remove_suffix(1);
  size_t star = pattern.find('*');
  const std::string_view prefix = pattern.substr(0, star);
  if (path.substr(0, prefix.size()) != prefix) return false;
  if (star == std::string_view::npos) return !anchored || path.size() == prefix.size();

  size_t matched = prefix.size();
  for (;;) {
    pattern.remove_prefix(star + 1);
    star = pattern.find('*');
    const std::string_view part = pattern.substr(0, star);
    if (star == std::string_view::npos && anchored) return EndsWith(path.substr(matched), part);
    const size_t at = Find(path, part, matched);
    if (at == std::string_view::npos) return false;
    if (star == std::string_view::npos) return true;
    matched = at + part.size();
  }
}

}  // namespace opic::robots
