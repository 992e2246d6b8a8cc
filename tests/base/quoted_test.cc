#include "base/quoted.h"

#include <gtest/gtest.h>

namespace opic::base {
namespace {

TEST(QuotedTest, WhatIsShortStandsAsItIs) {
  EXPECT_EQ(Quoted("http://a/"), "\"http://a/\"");
  EXPECT_EQ(Quoted(""), "\"\"");
  EXPECT_EQ(Quoted(std::string(kQuotedBytesMax, 'u')),
            '"' + std::string(kQuotedBytesMax, 'u') + '"');
}

TEST(QuotedTest, WhatIsLongIsCutAndCounted) {
  const std::string quoted = Quoted(std::string(1 << 20, 'u'));
  EXPECT_EQ(quoted, '"' + std::string(kQuotedBytesMax, 'u') + "...\" (1048576 bytes)");
}

TEST(QuotedTest, NoCharacterIsCutInTwo) {
  std::string text(kQuotedBytesMax - 1, 'u');
  text += "\xc3\xa9\xc3\xa9";
  EXPECT_EQ(Quoted(text), '"' + std::string(kQuotedBytesMax - 1, 'u') + "...\" (203 bytes)");
}

TEST(QuotedTest, LinesStayWhole) { EXPECT_EQ(Quoted("a\r\nb"), "\"a??b\""); }

}  // namespace
}  // namespace opic::base
