#include "links/charset.h"

#include <gtest/gtest.h>

#include "links/utf8_text.h"

namespace opic::links {
namespace {

std::string Decode(std::string_view body, std::string_view encoding) {
  return std::string(Utf8Text(body, encoding).view());
}

TEST(Charset, LabelsAreThoseOfTheEncodingStandard) {
  EXPECT_EQ(EncodingOfLabel(" Latin1\n"), "windows-1252");
  EXPECT_EQ(EncodingOfLabel("x-sjis"), "shift_jis");
  EXPECT_EQ(EncodingOfLabel("UTF8"), "utf-8");
  EXPECT_EQ(EncodingOfLabel("hz-gb-2312"), "replacement");
  EXPECT_EQ(EncodingOfLabel("utf-7"), "");
}

TEST(Charset, MarkBeatsHeaderBeatsMeta) {
  const std::string page = "<meta charset=koi8-r>";
  EXPECT_EQ(DetectEncoding("\xEF\xBB\xBF" + page, "latin1"), "utf-8");
  EXPECT_EQ(DetectEncoding(page, "latin1"), "windows-1252");
  EXPECT_EQ(DetectEncoding(page, "nonsense"), "koi8-r");
  EXPECT_EQ(DetectEncoding(page, ""), "koi8-r");
}

TEST(Charset, WithoutAWordValidUtf8IsUtf8) {
  EXPECT_EQ(DetectEncoding("caf\xC3\xA9", ""), "utf-8");
  EXPECT_EQ(DetectEncoding("caf\xE9", ""), "windows-1252");
}

// 13.2.3.2, "prescan a byte stream to determine its encoding"
TEST(Charset, MetaIsFoundInItsForms) {
  EXPECT_EQ(
      MetaEncoding("<META http-equiv='Content-Type' content='text/html; charset=\"EUC-JP\"'>"),
      "euc-jp");
  EXPECT_EQ(MetaEncoding("<meta content='text/html; charset=big5' http-equiv=content-type>"),
            "big5");
  EXPECT_EQ(MetaEncoding("<meta content='text/html; charset=big5'>"), "");
  EXPECT_EQ(MetaEncoding("<!-- <meta charset=big5> --><meta charset=gbk>"), "gbk");
  EXPECT_EQ(MetaEncoding("<meta charset=utf-16>"), "utf-8");
}

TEST(Charset, MetaIsFoundInALongHead) {
  const std::string head = "<html><head><script>if (a<b) '<p>'" + std::string(1'100, ' ') +
                           "'<i>'</script><style></style><title><b></title>";
  EXPECT_EQ(MetaEncoding(head + "<meta charset=gbk>"), "gbk");
  EXPECT_EQ(MetaEncoding(head + "</head><body><meta charset=gbk>"), "");
  EXPECT_EQ(MetaEncoding(head + "<p><meta charset=gbk>"), "");
  EXPECT_EQ(MetaEncoding("<p><meta charset=gbk>"), "gbk") << "in the first 1,024 bytes";
}

// The end of the text was looked at anew for each of them: this took minutes.
TEST(Charset, ManyThatAreNoneAreReadInOnePass) {
  std::string page = "<meta http-equiv=content-type content=\"";
  for (int i = 0; i < 200'000; ++i) page += "charset";
  page += "x" + std::string(2 << 20, ' ') + "\"><meta charset=koi8-r>";
  EXPECT_EQ(MetaEncoding(page), "koi8-r");
}

TEST(Charset, XmlDeclarationIsRead) {
  EXPECT_EQ(DetectXmlEncoding("<?xml version='1.0' encoding='koi8-r'?><a/>", ""), "koi8-r");
  EXPECT_EQ(DetectXmlEncoding("<?xml version='1.0'?><a/>", ""), "utf-8");
  EXPECT_EQ(DetectXmlEncoding("<?xml encoding='koi8-r'?>", "latin1"), "windows-1252");
}

TEST(Charset, TextsAreDecoded) {
  EXPECT_EQ(Decode("caf\xE9 \x80", "windows-1252"), "caf\xC3\xA9 \xE2\x82\xAC");
  EXPECT_EQ(Decode("\xF0\xD2\xC9", "koi8-r"), "\xD0\x9F\xD1\x80\xD0\xB8");
  EXPECT_EQ(Decode("\x83\x65\x83\x58\x83\x67", "shift_jis"),
            "\xE3\x83\x86\xE3\x82\xB9\xE3\x83\x88");
  EXPECT_EQ(Decode(std::string_view("\xFF\xFE<\0a\0>\0", 8), "utf-16le"), "<a>");
  EXPECT_EQ(Decode("<a>", "replacement"), "");
}

// A lead byte does not swallow the quote that ends an attribute.
TEST(Charset, BrokenBytesBecomeReplacements) {
  EXPECT_EQ(Decode("\x83\"", "shift_jis"), "\xEF\xBF\xBD\"");
  EXPECT_EQ(Decode("\xFF\xFF", "euc-jp"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Charset, EveryEncodingOfTheStandardCanBeDecoded) {
  for (const char* label :
       {"866",         "latin2",         "latin3", "latin4",        "cyrillic",
        "arabic",      "greek",          "hebrew", "logical",       "latin6",
        "iso-8859-13", "iso-8859-14",    "l9",     "iso-8859-16",   "koi8-u",
        "macintosh",   "tis-620",        "cp1250", "cp1258",        "x-mac-cyrillic",
        "gb2312",      "gb18030",        "big5",   "euc-jp",        "iso-2022-jp",
        "sjis",        "ks_c_5601-1987", "utf-16", "x-user-defined"}) {
    const std::string_view encoding = EncodingOfLabel(label);
    ASSERT_FALSE(encoding.empty()) << label;
    const std::string body = encoding == "utf-16le" ? std::string("<\0", 2) : "<\xE1\xA1";
    EXPECT_EQ(Decode(body, encoding).substr(0, 1), "<") << label;
  }
}

// ICU as it is packaged has no table for it.
TEST(Charset, Iso885916IsDecoded) {
  EXPECT_EQ(Decode("a\x9F\xA0\xA4\xAA\xBA\xDE\xFE\xFF", "iso-8859-16"),
            "a\u009F\u00A0\u20AC\u0218\u0219\u021A\u021B\u00FF");
}

TEST(Charset, Utf8AndAsciiAreUsedInPlace) {
  const std::string_view utf8 = "\xEF\xBB\xBFna\xC3\xAFve", ascii = "naive";
  EXPECT_EQ(Utf8Text(utf8, "utf-8").view().data(), utf8.data() + 3);
  EXPECT_EQ(Utf8Text(ascii, "shift_jis").view().data(), ascii.data());
  EXPECT_EQ(Utf8Text(ascii, "windows-1252").view().data(), ascii.data());
}

}  // namespace
}  // namespace opic::links
