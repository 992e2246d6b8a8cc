#include "links/changing_word.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "links/ascii.h"
#include "links/letter_pairs.h"

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

// What a byte of a word is; a set of them tells what the whole word has.
enum : uint8_t { kDigit = 1, kLetter = 2, kDash = 4, kBeyondAscii = 8, kOther = 16 };
constexpr auto kKinds = [] {
  std::array<uint8_t, 256> kinds{};
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    kinds[byte] = byte >= 128   ? kBeyondAscii
                  : IsDigit(c)  ? kDigit
                  : IsLetter(c) ? kLetter
                  : c == '-'    ? kDash
                                : kOther;
  }
  return kinds;
}();
uint8_t KindOf(char c) { return kKinds[static_cast<uint8_t>(c)]; }
bool IsWordByte(char c) { return (KindOf(c) & (kDigit | kLetter | kBeyondAscii)) != 0; }

std::string_view WithoutPunctuation(std::string_view word) {
  while (!word.empty() && !IsWordByte(word.front())) word.remove_prefix(1);
  while (!word.empty() && !IsWordByte(word.back())) word.remove_suffix(1);
  return word;
}

// The first three letters, in lower case. No two names share them.
constexpr uint32_t BeginningOf(std::string_view letters) {
  uint32_t beginning = 0;
  for (const char c : letters.substr(0, kDateNameShort)) {
    beginning = beginning << 8 | static_cast<uint8_t>(Lower(c));
  }
  return beginning;
}
constexpr auto kDateBeginnings = [] {
  std::array<uint32_t, kDateNames.size()> beginnings{};
  std::transform(kDateNames.begin(), kDateNames.end(), beginnings.begin(), BeginningOf);
  return beginnings;
}();

// Of all those names. None ends before its third letter.
constexpr LetterPairs PairsAt(size_t at) {
  const auto any = [](char) { return true; };
  LetterPairs pairs{};
  for (const std::string_view name : kDateNames) AddPairs(name, at, any, pairs);
  return pairs;
}

// REQUIRES: only letters.
bool IsDateName(std::string_view word) {
  if (word.size() < kDateNameShort || word.size() > kDateNameLongest) return false;
  const auto found = std::find(kDateBeginnings.begin(), kDateBeginnings.end(), BeginningOf(word));
  if (found == kDateBeginnings.end()) return false;
  return word.size() == kDateNameShort ||
         EqualsNoCase(word, kDateNames[static_cast<size_t>(found - kDateBeginnings.begin())]);
}

}  // namespace

constexpr LetterPairs kFirstPairsOfDates = PairsAt(0), kSecondPairsOfDates = PairsAt(1);

bool ReadWhetherItChanges(std::string_view word, bool has_digit) {
  word = WithoutPunctuation(word);
  uint8_t kinds = 0;
  for (const char c : word) kinds |= KindOf(c);
  if ((kinds & kBeyondAscii) != 0) return false;
  if (!has_digit) return kinds == kLetter && IsDateName(word);
  size_t digits = 0, letters = 0;
  std::array<char, 3> unit{};  // the letters, as far as they are few
  for (const char c : word) {
    if (IsDigit(c)) {
      ++digits;
    } else if (IsLetter(c)) {
      if (letters < unit.size()) unit[letters] = c;
      ++letters;
    }
  }
  if (letters == 0) return true;
  if ((kinds & kOther) == 0 && word.size() >= kTokenMin && 4 * digits >= digits + letters)
    return true;
  if (letters > unit.size()) return false;
  const std::string_view of_number(unit.data(), letters);
  return std::find(kUnits.begin(), kUnits.end(), of_number) != kUnits.end();
}

}  // namespace opic::links
