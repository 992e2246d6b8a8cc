// ASCII as HTML, HTTP and encoding labels see it: case folds, white space, names without case.
#pragma once

#include <string>
#include <string_view>

namespace opic::links {

constexpr bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}
constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
constexpr bool IsLetter(char c) { return Lower(c) >= 'a' && Lower(c) <= 'z'; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAlphanumeric(char c) { return IsLetter(c) || IsDigit(c); }

// `lower` must be in lower case.
constexpr bool EqualsLower(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (Lower(text[i]) != lower[i]) return false;
  }
  return true;
}

constexpr bool StartsWithLower(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() && EqualsLower(text.substr(0, lower.size()), lower);
}

constexpr bool EqualsNoCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (Lower(a[i]) != Lower(b[i])) return false;
  }
  return true;
}

constexpr std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

inline std::string LowerCopy(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = Lower(c);
  return lower;
}

// Calls visit(piece) for each non-empty trimmed piece of `text` between `separator` characters.
template <typename Visit>
void ForEachPiece(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const size_t end = text.find(separator);
    const std::string_view piece = Trim(text.substr(0, end));
    if (!piece.empty()) visit(piece);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

// Calls visit(word) for each word of `text` between white space.
template <typename Visit>
void ForEachWord(std::string_view text, Visit visit) {
  size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && IsSpace(text[i])) ++i;
    const size_t begin = i;
    while (i < text.size() && !IsSpace(text[i])) ++i;
    if (i > begin) visit(text.substr(begin, i - begin));
  }
}

}  // namespace opic::links
