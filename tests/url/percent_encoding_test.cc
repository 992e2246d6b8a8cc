// URLs of headers and of robots.txt, whose encoding nobody names.
#include "url/percent_encoding.h"

#include <gtest/gtest.h>

#include "url/url.h"

namespace opic::url {
namespace {

TEST(EncodedUnlessUtf8Test, Utf8StaysAsItIs) {
  for (const char* text : {"", "/plain?a=%E9", "/caf\xC3\xA9", "/\xF0\x9F\x98\x80"})
    EXPECT_EQ(EncodedUnlessUtf8(text), text);
}

TEST(EncodedUnlessUtf8Test, OfAllElseEachByteAboveAsciiIsEncoded) {
  EXPECT_EQ(EncodedUnlessUtf8("/caf\xE9"), "/caf%E9");
  EXPECT_EQ(EncodedUnlessUtf8("/caf\xC3\xA9/\xE9 %41\x7F"), "/caf%C3%A9/%E9 %41\x7F");
}

// It was "/caf%EF%BF%BD", which no server has.
TEST(EncodedUnlessUtf8Test, AUrlKeepsTheBytesThatItsServerKnows) {
  const std::optional<Url> url = Parse(EncodedUnlessUtf8("http://a.test/caf\xE9?q=\xFC#\xFF"));
  ASSERT_TRUE(url);
  EXPECT_EQ(url->text(), "http://a.test/caf%E9?q=%FC");
}

TEST(EncodedUnlessUtf8Test, AHostOfSuchBytesIsNone) {
  EXPECT_FALSE(Parse(EncodedUnlessUtf8("http://caf\xE9.test/")));
}

}  // namespace
}  // namespace opic::url
