// Words that change while the page says the same: numbers, dates, times, counters and tokens.
#pragma once

#include <string_view>

namespace opic::links {

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
bool ChangesByItself(std::string_view word, bool has_digit);

}  // namespace opic::links
