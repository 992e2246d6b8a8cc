#include "base/utf8.h"

#include <gtest/gtest.h>

namespace opic::base {
namespace {

TEST(PlainTextTest, TextStaysAsItIs) {
  for (const char* text : {"", "anna@desk", "J\xc3\xbcrgen", "\xc2\xa0", "\xf0\x9f\x98\x80"})
    EXPECT_EQ(PlainText(text, 16), text);
}

TEST(PlainTextTest, ItIsCutBetweenCharacters) {
  EXPECT_EQ(PlainText("a\xc3\xa4", 2), "a");
  EXPECT_EQ(PlainText("a\xc3\xa4", 3), "a\xc3\xa4");
  EXPECT_EQ(PlainText("\xf0\x9f\x98\x80", 3), "");
  EXPECT_EQ(PlainText("ab", 0), "");
}

TEST(PlainTextTest, WhatIsNoTextIsReplaced) {
  EXPECT_EQ(PlainText("a\nb\x1b[\x7f\xc2\x9b", 16), "a?b?[??");
  EXPECT_EQ(PlainText("a\xff", 16), "a\xef\xbf\xbd");
  EXPECT_EQ(PlainText("a\xc3", 16), "a\xef\xbf\xbd");
}

}  // namespace
}  // namespace opic::base
