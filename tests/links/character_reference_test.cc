#include "links/character_reference.h"

#include <gtest/gtest.h>

namespace opic::links {
namespace {

std::string Decoded(std::string_view raw) {
  std::string buffer;
  return std::string(DecodeAttribute(raw, buffer));
}

// 13.2.5.73: the longest name counts.
TEST(CharacterReference, NamedOnesAreDecoded) {
  EXPECT_EQ(Decoded("a&amp;b&AMP;c&eacute;"), "a&b&c\xC3\xA9");
  EXPECT_EQ(Decoded("&CounterClockwiseContourIntegral;"), "\xE2\x88\xB3");
  EXPECT_EQ(Decoded("&NotEqualTilde;"), "\xE2\x89\x82\xCC\xB8");
  EXPECT_EQ(Decoded("&nosuchname; & &; &&amp"), "&nosuchname; & &; &&");
}

// An attribute keeps "&copy" before "=" or an alphanumeric: queries are written that way.
TEST(CharacterReference, LegacyNamesWithoutSemicolonFollowTheAttributeRule) {
  EXPECT_EQ(Decoded("?a&copy=1"), "?a&copy=1");
  EXPECT_EQ(Decoded("?a&copyright"), "?a&copyright");
  EXPECT_EQ(Decoded("?a&copy"), "?a\xC2\xA9");
  EXPECT_EQ(Decoded("?a&copy;=1"), "?a\xC2\xA9=1");
  EXPECT_EQ(Decoded("?a&copy-b"), "?a\xC2\xA9-b");
  EXPECT_EQ(Decoded("&eacut;"), "&eacut;");
}

// 13.2.5.80
TEST(CharacterReference, NumbersAreRepaired) {
  EXPECT_EQ(Decoded("&#65;&#x42;&#X63"), "ABc");
  EXPECT_EQ(Decoded("&#x80;"), "\xE2\x82\xAC");
  EXPECT_EQ(Decoded("&#0;&#xD800;&#x110000;&#99999999999999999999;"),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Decoded("&#;&#x;&#xg"), "&#;&#x;&#xg");
}

TEST(CharacterReference, NulBecomesTheReplacementCharacter) {
  EXPECT_EQ(Decoded(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(CharacterReference, TextWithoutReferencesIsNotCopied) {
  const std::string_view raw = "http://example.org/";
  std::string buffer;
  EXPECT_EQ(DecodeAttribute(raw, buffer).data(), raw.data());
}

}  // namespace
}  // namespace opic::links
