// Words that change while the page says the same: numbers, dates, times, counters and tokens.
#pragma once

#include <cstddef>
#include <string_view>

#include "links/ascii.h"
#include "links/letter_pairs.h"

namespace opic::links {

// The first two letters, and the second and third one, of the names of months and days.
extern const LetterPairs kFirstPairsOfDates, kSecondPairsOfDates;

// Whether a word without digits has to be read to know whether it changes by itself. Of most words
// three letters tell that no date begins so. Without branches: what words are cannot be foreseen.
inline bool MayBeDate(std::string_view word) {
  if (word.empty()) return false;
  const size_t size = word.size();
  const char first = word[0], second = word[size > 1 ? 1 : 0], third = word[size > 2 ? 2 : 0];
  const bool letters =
      Has(kFirstPairsOfDates, first, second) & Has(kSecondPairsOfDates, second, third);
  return (size > 2) & (!IsLetter(first) | letters);  // what is in front may be punctuation
}

// ChangesByItself, where that takes reading the word.
bool ReadWhetherItChanges(std::string_view word, bool has_digit);

// Whether a word, with the punctuation at it, is
// * a number, also with signs, units of time and what stands in dates: "1,023", "5%", "(12)",
//   "12:30pm", "3rd", "2026-11-27T00:52:43Z";
// * the English name of a month or a day of the week, or its first three letters;
// * a token: 16 letters and digits or more, of which a quarter are digits: "0123456789abcdef",
//   "session281474976710656", a UUID.
// Everything else lasts, numbers in other scripts, too. Time is linear.
// REQUIRES: `has_digit` says whether one of 0 to 9 is in it.
//
// Thread safety: pure.
inline bool ChangesByItself(std::string_view word, bool has_digit) {
  return (has_digit || MayBeDate(word)) && ReadWhetherItChanges(word, has_digit);
}

}  // namespace opic::links
