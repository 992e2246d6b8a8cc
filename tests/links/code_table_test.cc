#include "links/code_table.h"

#include <gtest/gtest.h>
#include <unicode/utf8.h>

#include <string>

#include "links/query_encoding.h"
#include "links/utf8_text.h"

namespace opic::links {
namespace {

std::string TextOf(std::string_view body, std::string_view encoding) {
  return std::string(Utf8Text(body, encoding).view());
}

std::string Query(uint32_t point, std::string_view encoding) {
  std::string href = "?", buffer;
  char bytes[U8_MAX_LENGTH];
  size_t size = 0;
  U8_APPEND_UNSAFE(bytes, size, point);
  href.append(bytes, size);
  return std::string(QueryEncoding(encoding).Encoded(href, buffer).substr(1));
}

// FNV-1a, 64 bits.
class Digest {
 public:
  void Add(std::string_view line) {
    for (const char c : line) AddByte(static_cast<uint8_t>(c));
    AddByte('\n');
  }
  uint64_t value() const { return value_; }

 private:
  void AddByte(uint8_t byte) { value_ = (value_ ^ byte) * 0x100000001B3; }

  uint64_t value_ = 0xCBF29CE484222325;
};

// All single bytes, and all pairs of a byte above 0x7F and one above 0x3F.
uint64_t DigestOfDecoding(std::string_view encoding) {
  Digest digest;
  for (int byte = 0; byte < 0x100; ++byte)
    digest.Add(TextOf(std::string(1, static_cast<char>(byte)), encoding));
  for (int lead = 0x80; lead < 0x100; ++lead) {
    for (int trail = 0x40; trail < 0x100; ++trail)
      digest.Add(TextOf(std::string{static_cast<char>(lead), static_cast<char>(trail)}, encoding));
  }
  return digest.value();
}

// Of U+0080 to U+2FFFF, without the surrogates.
uint64_t DigestOfEncoding(std::string_view encoding) {
  const CodeTable& table = *CodeTable::Of(encoding);
  Digest digest;
  for (uint32_t point = 0x80; point < 0x30000; ++point) {
    if (!U_IS_SURROGATE(point)) digest.Add(table.BytesOf(point));
  }
  return digest.value();
}

// The digests were taken from the indexes of the Encoding Standard, by its own algorithms (sections
// 9 to 12), and not from this code.
TEST(CodeTable, DecodesAsTheStandardsIndexesSay) {
  EXPECT_EQ(DigestOfDecoding("koi8-u"), 0xF62974C05A0287F9);
  EXPECT_EQ(DigestOfDecoding("windows-1255"), 0xE9B33EAC9DC98DB9);
  EXPECT_EQ(DigestOfDecoding("big5"), 0x53E22A8CA42DEC0C);
  EXPECT_EQ(DigestOfDecoding("gbk"), 0x3046E0936D3E4D2D);
  EXPECT_EQ(DigestOfDecoding("gb18030"), 0x3046E0936D3E4D2D);
  EXPECT_EQ(DigestOfDecoding("shift_jis"), 0xD4EB250FEE9143BD);
}

TEST(CodeTable, EncodesAsTheStandardsIndexesSay) {
  EXPECT_EQ(DigestOfEncoding("koi8-u"), 0xC36232C2EF84A995);
  EXPECT_EQ(DigestOfEncoding("windows-1255"), 0x7CC5115BE01D1001);
  EXPECT_EQ(DigestOfEncoding("big5"), 0xA57CCF706490B09D);
  EXPECT_EQ(DigestOfEncoding("gbk"), 0x2DB8414C2A727961);
  EXPECT_EQ(DigestOfEncoding("gb18030"), 0xAB01BA18836B30DA);
  EXPECT_EQ(DigestOfEncoding("shift_jis"), 0x2EEAA2C9BAC1F037);
}

TEST(CodeTable, WhatIcuReadsOtherwiseIsReadByTheStandard) {
  EXPECT_EQ(TextOf("\xAE\xBE", "koi8-u"), "\u045E\u040E");
  EXPECT_EQ(TextOf("\xCA", "windows-1255"), "\u05BA");
  EXPECT_EQ(TextOf("\x88\x62\x88\xA5\x8C\x43", "big5"), "\u00CA\u0304\u00EA\u030C\u9FA6");
  EXPECT_EQ(TextOf("\x80\x1A\x1C\x7F", "shift_jis"), "\u0080\x1A\x1C\x7F");
  EXPECT_EQ(TextOf("\x80\xA3\xA0\xA6\xD9\xFE\xA0", "gbk"), "\u20AC\u3000\uFE10\u9FBB");
}

// 10.2.1: four bytes are one character, if only U+FFFD, or the first of them is broken. These are
// what the Web Platform Tests have (encoding/legacy-mb-schinese/gb18030).
TEST(CodeTable, FourBytesAreRead) {
  EXPECT_EQ(TextOf("\x81\x30\x81\x30\x90\x30\x81\x30<", "gbk"), "\u0080\U00010000<");
  EXPECT_EQ(TextOf("\x84\x31\x82\x36", "gb18030"), "\uFE10");
  EXPECT_EQ(TextOf("\x84\x31\xA4\x39", "gb18030"), "\uFFFF");
  EXPECT_EQ(TextOf("\xE3\x32\x9A\x35", "gb18030"), "\U0010FFFF");
  for (const char* none :
       {"\x84\x31\xA5\x30", "\x8F\x39\xFE\x39", "\xE3\x32\x9A\x36", "\xFE\x39\xFE\x39"}) {
    EXPECT_EQ(TextOf(std::string(none) + "\xA3\xA0", "gb18030"), "\uFFFD\u3000")
        << "what follows is read as it is";
  }
  EXPECT_EQ(TextOf("\x81\x30\"", "gb18030"),
            "\uFFFD"
            "0\"");
  EXPECT_EQ(TextOf("\x81\x30\xFE)>", "gb18030"),
            "\uFFFD"
            "0\uFFFD)>");
}

TEST(CodeTable, WhatEndsWithinFourBytesIsOneCharacter) {
  for (const char* cut : {"\x81", "\x81\x30", "\x81\x30\x81"})
    EXPECT_EQ(TextOf(cut, "gb18030"), "\uFFFD");
  EXPECT_EQ(TextOf("\x81\x30\xFF", "gb18030"),
            "\uFFFD"
            "0\uFFFD");
}

// Each of these bytes could be the first of two.
TEST(CodeTable, BrokenPairLeavesAsciiAlone) {
  for (const char* encoding : {"big5", "gbk", "gb18030", "shift_jis"}) {
    EXPECT_EQ(TextOf("\x81\">", encoding), "\uFFFD\">") << encoding;
    EXPECT_EQ(TextOf("a\x81", encoding), "a\uFFFD") << encoding;
    EXPECT_EQ(TextOf(std::string_view("\x81\0", 2), encoding), std::string_view("\uFFFD\0", 4));
  }
  EXPECT_EQ(TextOf("\xFF\xA1", "big5").substr(0, 3), "\uFFFD");
}

// 10.2.2: the euro in GBK has one byte; private characters keep the codes that others took over.
TEST(CodeTable, QueriesAreEncodedByTheStandard) {
  EXPECT_EQ(Query(0x20AC, "gbk"), "%80");
  EXPECT_EQ(Query(0x20AC, "gb18030"), "%A2%E3");
  EXPECT_EQ(Query(0xE78D, "gbk"), "%A6%D9");
  EXPECT_EQ(Query(0xFE10, "gbk"), "%A6%D9");
  EXPECT_EQ(Query(0xE5E5, "gbk"), "%26%2358853%3B");
  EXPECT_EQ(Query(0xE5E5, "gb18030"), "%26%2358853%3B");
  EXPECT_EQ(Query(0x10000, "gbk"), "%26%2365536%3B");
  EXPECT_EQ(Query(0x10000, "gb18030"), "%900%810");
  EXPECT_EQ(Query(0x5341, "big5"), "%A4Q");
  EXPECT_EQ(Query(0x31C0, "big5"), "%26%2312736%3B");
  EXPECT_EQ(Query(0x2212, "shift_jis"), "%81|");
  EXPECT_EQ(Query(0xA5, "shift_jis"), "\\");
  EXPECT_EQ(Query(0x045E, "koi8-u"), "%AE");
  EXPECT_EQ(Query(0x255D, "koi8-u"), "%26%239565%3B");
  EXPECT_EQ(Query(0x05BA, "windows-1255"), "%CA");
  EXPECT_EQ(Query(0x0218, "iso-8859-16"), "%AA");
}

}  // namespace
}  // namespace opic::links
