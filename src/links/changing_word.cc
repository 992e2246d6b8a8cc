#include "links/changing_word.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "links/ascii.h"

namespace opic::links {
namespace {

constexpr size_t kTokenMin = 16;
constexpr auto kDateNames = std::to_array<std::string_view>(
    {"January", "February", "March", "April", "May", "June", "July", "August", "September",
     "October", "November", "December", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
     "Saturday", "Sunday"});
constexpr size_t kDateNameShort = 3, kDateNameLongest = 9;
// Behind or in a number.
constexpr auto kUnits = std::to_array<std::string_view>(
    {"st", "nd", "rd", "th", "am", "pm", "s", "h", "ms", "min", "T", "Z", "TZ"});

bool IsAscii(char c) { return static_cast<signed char>(c) >= 0; }
bool IsWordByte(char c) { return IsAlphanumeric(c) || !IsAscii(c); }

std::string_view WithoutPunctuation(std::string_view word) {
  while (!word.empty() && !IsWordByte(word.front())) word.remove_prefix(1);
  while (!word.empty() && !IsWordByte(word.back())) word.remove_suffix(1);
  return word;
}

bool IsDateName(std::string_view word) {
  if (word.size() < kDateNameShort || word.size() > kDateNameLongest) return false;
  return std::any_of(kDateNames.begin(), kDateNames.end(), [word](std::string_view name) {
    return EqualsNoCase(word, name) || EqualsNoCase(word, name.substr(0, kDateNameShort));
  });
}

}  // namespace

bool ChangesByItself(std::string_view word) {
  word = WithoutPunctuation(word);
  size_t digits = 0, letters = 0, others = 0;
  std::array<char, 3> unit{};  // the letters, as far as they are few
  for (const char c : word) {
    if (IsDigit(c)) {
      ++digits;
    } else if (IsLetter(c)) {
      if (letters < unit.size()) unit[letters] = c;
      ++letters;
    } else if (c == '-') {
      continue;
    } else if (!IsAscii(c)) {
      return false;
    } else {
      ++others;
    }
  }
  if (digits == 0) return letters == word.size() && IsDateName(word);
  if (letters == 0) return true;
  if (others == 0 && word.size() >= kTokenMin && 4 * digits >= digits + letters) return true;
  if (letters > unit.size()) return false;
  const std::string_view of_number(unit.data(), letters);
  return std::find(kUnits.begin(), kUnits.end(), of_number) != kUnits.end();
}

}  // namespace opic::links
