// Queries of links in the encoding of their document: URL Standard, section 1.3 ("percent-encode
// after encoding"), and the encoders of the Encoding Standard.
#include "links/query_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/utf8.h>

#include <string>

#include "html_page.h"

namespace opic::links {
namespace {

std::string Encoded(std::string_view text, std::string_view encoding) {
  std::string buffer;
  const std::string href = "?" + std::string(text);
  return std::string(QueryEncoding(encoding).Encoded(href, buffer).substr(1));
}

struct Word {
  const char* encoding;
  std::string bytes;  // of a word, as the document has it
  std::string path;   // of the same word: UTF-8, whatever the encoding
  std::string query;
};

const Word kWords[] = {
    {"ibm866", "\xF0\xA6\xA8\xAA", "%D0%81%D0%B6%D0%B8%D0%BA", "%F0%A6%A8%AA"},
    {"iso-8859-2",
     "\xA3\xF3"
     "d\xBC",
     "%C5%81%C3%B3d%C5%BA", "%A3%F3d%BC"},
    {"iso-8859-3", "\xE6\xF8\xB1", "%C4%89%C4%9D%C4%A7", "%E6%F8%B1"},
    {"iso-8859-4", "\xE0\xBB\xBC", "%C4%81%C4%A3%C5%A7", "%E0%BB%BC"},
    {"iso-8859-5", "\xC7\xD5\xE5\xDE\xD2", "%D0%A7%D0%B5%D1%85%D0%BE%D0%B2", "%C7%D5%E5%DE%D2"},
    {"iso-8859-6", "\xD3\xE4\xC7\xE5", "%D8%B3%D9%84%D8%A7%D9%85", "%D3%E4%C7%E5"},
    {"iso-8859-7", "\xEB\xFC\xE3\xEF\xF2", "%CE%BB%CF%8C%CE%B3%CE%BF%CF%82", "%EB%FC%E3%EF%F2"},
    {"iso-8859-8", "\xF9\xEC\xE5\xED", "%D7%A9%D7%9C%D7%95%D7%9D", "%F9%EC%E5%ED"},
    {"iso-8859-8-i", "\xF9\xEC\xE5\xED", "%D7%A9%D7%9C%D7%95%D7%9D", "%F9%EC%E5%ED"},
    {"iso-8859-10", "\xC6\xF0\xAF", "%C3%86%C3%B0%C5%8A", "%C6%F0%AF"},
    {"iso-8859-13", "\xDE\xE0\xEB", "%C5%BD%C4%85%C4%97", "%DE%E0%EB"},
    {"iso-8859-14", "\xD0\xFE", "%C5%B4%C5%B7", "%D0%FE"},
    {"iso-8859-15", "\xBD\xA4\xB4", "%C5%93%E2%82%AC%C5%BD", "%BD%A4%B4"},
    {"iso-8859-16", "\xAA\xFE\xE3", "%C8%98%C8%9B%C4%83", "%AA%FE%E3"},
    {"koi8-r", "\xED\xCF\xD3\xCB\xD7\xC1", "%D0%9C%D0%BE%D1%81%D0%BA%D0%B2%D0%B0",
     "%ED%CF%D3%CB%D7%C1"},
    {"koi8-u", "\xB7\xD6\xC1\xCB", "%D0%87%D0%B6%D0%B0%D0%BA", "%B7%D6%C1%CB"},
    {"macintosh", "\x83\xDB\xBD", "%C3%89%E2%82%AC%CE%A9", "%83%DB%BD"},
    {"windows-874", "\xA1\xC3\xD8\xA7\xE0\xB7\xBE",
     "%E0%B8%81%E0%B8%A3%E0%B8%B8%E0%B8%87%E0%B9%80%E0%B8%97%E0%B8%9E", "%A1%C3%D8%A7%E0%B7%BE"},
    {"windows-1250", "\xF8\xEDi\x9A", "%C5%99%C3%ADi%C5%A1", "%F8%EDi%9A"},
    {"windows-1251", "\xCF\xF0\xE8\xE2\xE5\xF2", "%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82",
     "%CF%F0%E8%E2%E5%F2"},
    {"windows-1252", "\xE9\x80\xDF", "%C3%A9%E2%82%AC%C3%9F", "%E9%80%DF"},
    {"windows-1253", "\xC1\xE8\xDE\xED\xE1", "%CE%91%CE%B8%CE%AE%CE%BD%CE%B1", "%C1%E8%DE%ED%E1"},
    {"windows-1254", "\xFD\xFE\xF0", "%C4%B1%C5%9F%C4%9F", "%FD%FE%F0"},
    {"windows-1255", "\xE9\xF8\xE5\xF9\xEC\xE9\xED", "%D7%99%D7%A8%D7%95%D7%A9%D7%9C%D7%99%D7%9D",
     "%E9%F8%E5%F9%EC%E9%ED"},
    {"windows-1256", "\xE3\xD1\xCD\xC8\xC7", "%D9%85%D8%B1%D8%AD%D8%A8%D8%A7", "%E3%D1%CD%C8%C7"},
    {"windows-1257", "\xE0\xE8\xE6", "%C4%85%C4%8D%C4%99", "%E0%E8%E6"},
    {"windows-1258", "\xF5\xFD\xF0", "%C6%A1%C6%B0%C4%91", "%F5%FD%F0"},
    {"x-mac-cyrillic", "\x8A\xE8\xBB\xE2", "%D0%9A%D0%B8%D1%97%D0%B2", "%8A%E8%BB%E2"},
    {"euc-kr", "\xC7\xD1\xB1\xDB", "%ED%95%9C%EA%B8%80", "%C7%D1%B1%DB"},
    {"euc-jp", "\xC6\xFC\xCB\xDC\xB8\xEC", "%E6%97%A5%E6%9C%AC%E8%AA%9E", "%C6%FC%CB%DC%B8%EC"},
    {"iso-2022-jp", "\x1B$BF|K\\-!\x1B(B", "%E6%97%A5%E6%9C%AC%E2%91%A0", "%1B$BF|K\\-!%1B(B"},
    {"shift_jis", "\x93\xFA\x96{\x95\\", "%E6%97%A5%E6%9C%AC%E8%A1%A8", "%93%FA%96{%95\\"},
    {"gbk", "\xC4\xE3\xBA\xC3\x80", "%E4%BD%A0%E5%A5%BD%E2%82%AC", "%C4%E3%BA%C3%80"},
    {"big5", "\xA4\xA4\xA4\xE5\xA4Q", "%E4%B8%AD%E6%96%87%E5%8D%81", "%A4%A4%A4%E5%A4Q"},
    {"x-user-defined", "\xE9", "%EF%9F%A9", "%E9"},
};

std::vector<std::string> LinksOf(std::string_view html, std::string_view encoding) {
  const url::Url url = *url::Parse("http://site.example/dir/page.html");
  const std::string type = "text/html; charset=" + std::string(encoding);
  Document document;
  document.body = html;
  document.content_type = type;
  document.url = &url;
  return Links(Extract(document, Limits()));
}

// One link has the word in its path, its query and its fragment, and in the query what the encoding
// has not.
TEST(QueryEncodingTest, OfEveryEncodingAQueryIsInItAndThePathInUtf8) {
  for (const Word& word : kWords) {
    const std::string html = "<a href='/" + word.bytes + "?q=" + word.bytes + "&x=&#x1F600;#" +
                             word.bytes + "?" + word.bytes + "'>";
    EXPECT_THAT(LinksOf(html, word.encoding),
                testing::ElementsAre("/" + word.path + "?q=" + word.query + "&x=%26%23128512%3B"))
        << word.encoding;
  }
}

TEST(QueryEncodingTest, WhatIsInUnicodeHasQueriesInUtf8) {
  EXPECT_THAT(LinksOf("<a href='/\xC3\xA9?\xC3\xA9&#x1F600;'>", "utf-8"),
              testing::ElementsAre("/%C3%A9?%C3%A9%F0%9F%98%80"));
  EXPECT_EQ(Encoded("\u00E9", "utf-16le"), "\u00E9");
  EXPECT_EQ(Encoded("\u00E9", "utf-16be"), "\u00E9");
  EXPECT_EQ(Encoded("\u4F60\U0001F600", "gb18030"), "%C4%E3%949%FC6");
}

// FNV-1a, 64 bits, over a line for each character from U+0080 to U+FFFF.
uint64_t DigestOf(std::string_view encoding) {
  const bool is_korean = encoding == "euc-kr";
  uint64_t digest = 0xCBF29CE484222325;
  std::string buffer;
  const QueryEncoding query(encoding);
  for (uint32_t point = 0x80; point < 0x10000; ++point) {
    if (U_IS_SURROGATE(point)) continue;
    // ICU has private characters for what is undefined in the standard's EUC-KR.
    if (is_korean && point >= 0xE000 && point < 0xF900) continue;
    char href[1 + U8_MAX_LENGTH] = "?";
    size_t size = 1;
    U8_APPEND_UNSAFE(href, size, point);
    for (const char c : query.Encoded({href, size}, buffer).substr(1))
      digest = (digest ^ static_cast<uint8_t>(c)) * 0x100000001B3;
    digest = (digest ^ '\n') * 0x100000001B3;
  }
  return digest;
}

// The digests are of the standard's algorithms over the tables of Python's codecs, and not of this
// code: index jis0208 is that of cp932, EUC-KR cp949, and what Python has no character for in 0x80
// to 0x9F of windows-* is a control character. Of Big5, GBK and gb18030 see code_table_test.cc.
TEST(QueryEncodingTest, EveryCharacterIsWrittenByTheStandard) {
  constexpr struct {
    std::string_view encoding;
    uint64_t digest;
  } kDigests[] = {
      {"ibm866", 0xC1AFC09AA1A540C5},         {"iso-8859-2", 0xA2905DF646F086FC},
      {"iso-8859-3", 0x98D6CE2F3BE1F58D},     {"iso-8859-4", 0xB95F97A0EE9C067F},
      {"iso-8859-5", 0xEC702F7025E0B1F8},     {"iso-8859-6", 0x066C477AF2D0E3DA},
      {"iso-8859-7", 0xF5AC46CAF2072B7A},     {"iso-8859-8", 0x501FA679EDA3E028},
      {"iso-8859-10", 0xD5F5223C108DE0FA},    {"iso-8859-13", 0xB4D6A30E20DAAD00},
      {"iso-8859-14", 0x886BC0E738A2A391},    {"iso-8859-15", 0x8E90428883F34A51},
      {"iso-8859-16", 0xC9A9FEC4AAD463CC},    {"iso-8859-8-i", 0x501FA679EDA3E028},
      {"koi8-r", 0x410B352ECC6D2D8D},         {"koi8-u", 0x379CAD761A0A3972},
      {"macintosh", 0x0A00B1EBBBA47AFD},      {"windows-874", 0xB97625EA23DA7C42},
      {"windows-1250", 0xC3BAFEC4E7DAA7ED},   {"windows-1251", 0xF1F3004B0D3E9293},
      {"windows-1252", 0x5F86FFD7A7D0E9DD},   {"windows-1253", 0xB245D014FCED7C09},
      {"windows-1254", 0xD8653C85EF6BB650},   {"windows-1255", 0x521D653D48B014EF},
      {"windows-1256", 0xFFFAEF4AD4DB1F69},   {"windows-1257", 0xD33F951A5C11BD84},
      {"windows-1258", 0x353F37A9102F76A9},   {"x-mac-cyrillic", 0x9355D36DB1AE3A76},
      {"x-user-defined", 0x1FD0E44359B6334F}, {"euc-kr", 0xC8E313CD6B457222},
      {"euc-jp", 0x9132EF1825792D63},         {"iso-2022-jp", 0x11570FE7B671904C},
      {"shift_jis", 0xE81EE85F999BCD3B},
  };
  for (const auto& [encoding, digest] : kDigests) EXPECT_EQ(DigestOf(encoding), digest) << encoding;
}

// Mostly invisible, and no reason to write nothing.
TEST(QueryEncodingTest, WhatIsInvisibleIsNotLost) {
  EXPECT_EQ(Encoded("a\u200Bb", "windows-1252"), "a%26%238203%3Bb");
  EXPECT_EQ(Encoded("\u00AD", "koi8-r"), "%26%23173%3B");
  EXPECT_EQ(Encoded("\uFE0F", "euc-kr"), "%26%2365039%3B");
}

// Encoding Standard, section 12.1.2.
TEST(QueryEncodingTest, EucJpHasNoJisX0212) {
  EXPECT_EQ(Encoded("\u00E9\u4E02", "euc-jp"), "%26%23233%3B%26%2319970%3B");
  EXPECT_EQ(Encoded("\u00A5\u203E\u2212\u2460", "euc-jp"), "\\~%A1%DD%AD%A1");
  EXPECT_EQ(Encoded("\u0085", "euc-jp"), "%26%23133%3B");
}

// Section 12.2.2.
TEST(QueryEncodingTest, Iso2022JpShiftsAndReturnsToAscii) {
  EXPECT_EQ(Encoded("x\u65E5x", "iso-2022-jp"), "x%1B$BF|%1B(Bx");
  EXPECT_EQ(Encoded("\u65E5\u20AC\u65E5", "iso-2022-jp"), "%1B$BF|%1B(B%26%238364%3B%1B$BF|%1B(B");
  EXPECT_EQ(Encoded("\u00A5a~", "iso-2022-jp"), "%1B(J\\a%1B(B~");
  EXPECT_EQ(Encoded("\u00A5\u20AC", "iso-2022-jp"), "%1B(J\\%26%238364%3B%1B(B");
  EXPECT_EQ(Encoded("\uFF71\u2212", "iso-2022-jp"), "%1B$B%%22!]%1B(B");
}

}  // namespace
}  // namespace opic::links
