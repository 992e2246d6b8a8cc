#include "base/json_string.h"

#include <gtest/gtest.h>

namespace opic::base {
namespace {

TEST(JsonStringTest, QuotesAndEscapes) {
  EXPECT_EQ(JsonString(""), "\"\"");
  EXPECT_EQ(JsonString("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(JsonString(std::string_view("\n\0\x1f", 3)), R"("\u000a\u0000\u001f")");
}

// A terminal that shows the fetch log would obey them.
TEST(JsonStringTest, EscapesControlCharactersBehindAscii) {
  EXPECT_EQ(JsonString("a\x7f\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0"),
            "\"a\\u007f\\u0080\\u009b\\u009f\xc2\xa0\"");
}

TEST(JsonStringTest, KeepsUtf8AndReplacesWhatIsNot) {
  EXPECT_EQ(JsonString("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(JsonString("\xe9"), "\"" + mark + "\"");                        // Latin-1
  EXPECT_EQ(JsonString("\xc0\xaf"), "\"" + mark + mark + "\"");             // overlong
  EXPECT_EQ(JsonString("\xed\xa0\x80"), "\"" + mark + mark + mark + "\"");  // surrogate
  EXPECT_EQ(JsonString("\xe2\x82"), "\"" + mark + mark + "\"");             // cut off
  EXPECT_EQ(JsonString("\xf5\x80\x80\x80"), "\"" + mark + mark + mark + mark + "\"");
}

}  // namespace
}  // namespace opic::base
