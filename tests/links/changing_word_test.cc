// Which words of a page change while it says the same.
#include "links/changing_word.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "links/ascii.h"

namespace opic::links {
namespace {

bool Changes(const std::string& word) {
  return ChangesByItself(word, std::any_of(word.begin(), word.end(), IsDigit));
}

TEST(ChangingWordTest, NumbersDatesTimesAndTokensDo) {
  for (const std::string word : {"7",
                                 "1,023",
                                 "-3.5%",
                                 "(12)",
                                 "#4",
                                 "12:30",
                                 "12:30pm",
                                 "3rd",
                                 "21st",
                                 "0.12s",
                                 "5ms",
                                 "2026-11-27",
                                 "27/11/2026",
                                 "2026-11-27T00:52:43Z",
                                 "1.2.3",
                                 "May",
                                 "december",
                                 "Sep",
                                 "Wed,",
                                 "SUNDAY.",
                                 "0123456789abcdef",
                                 "session281474976710656",
                                 "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"})
    EXPECT_TRUE(Changes(word)) << word;
}

TEST(ChangingWordTest, WordsAndNamesLast) {
  for (const std::string word : {"",
                                 "-",
                                 "...",
                                 "a",
                                 "word",
                                 "mayor",
                                 "Mon-key",
                                 "june2",
                                 "v1",
                                 "K3_1",
                                 "M4",
                                 "x86",
                                 "3D",
                                 "utf8",
                                 "int32_t",
                                 "abcdefghijklmnopqrstuvwxyz",
                                 "std::array<int,3>",
                                 "int32_to_float64_conversion",
                                 "\xc3\xa9t\xc3\xa9",
                                 "5\xe2\x82\xac",
                                 "12kgs"})
    EXPECT_FALSE(Changes(word)) << word;
}

TEST(ChangingWordTest, AnyBytesAreOneOrTheOther) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  EXPECT_FALSE(Changes(bytes));
  EXPECT_TRUE(Changes(std::string(100'000, '7')));
  EXPECT_FALSE(Changes(std::string(100'000, '-')));
}

}  // namespace
}  // namespace opic::links
