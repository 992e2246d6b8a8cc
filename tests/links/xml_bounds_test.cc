// XML that is broken, or meant to hurt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "links/xml_parser.h"
#include "tests/links/xml_document.h"

namespace opic::links {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using XmlBoundsTest = XmlDocumentTest;

TEST_F(XmlBoundsTest, LinksBeforeAnErrorAreKept) {
  EXPECT_THAT(LinksOf("<rss><link>/1</link><link>/2</link></item><link>/3</link></rss>"),
              ElementsAre("/1", "/2"));
  EXPECT_FALSE(outcome_.well_formed);
  EXPECT_EQ(outcome_.kind, Kind::kFeed);
}

TEST_F(XmlBoundsTest, TruncatedDocumentGivesWhatCame) {
  EXPECT_THAT(LinksOf("<rss><link>/1</link><link>/2"), ElementsAre("/1"));
  EXPECT_FALSE(outcome_.well_formed);
}

TEST_F(XmlBoundsTest, EmptyAndOtherBytesAreNotWellFormed) {
  for (const std::string body : {"", " ", "text", "<", "\xEF\xBB\xBF", "\xFF\xFE"}) {
    EXPECT_THAT(LinksOf(body), IsEmpty());
    EXPECT_FALSE(outcome_.well_formed) << body;
  }
}

TEST_F(XmlBoundsTest, BlanksAndMarkBeforeTheDeclarationAreSkipped) {
  EXPECT_THAT(LinksOf("\xEF\xBB\xBF\r\n <?xml version='1.0'?><rss><link>/1</link></rss>"),
              ElementsAre("/1"));
}

TEST_F(XmlBoundsTest, GivenCharsetOverrulesTheDeclaration) {
  constexpr std::string_view kBody =
      "<?xml version='1.0' encoding='no-such'?><rss><link>/\xC3\xA4</link></rss>";
  EXPECT_THAT(LinksOf(kBody, "UTF-8"), ElementsAre("/%C3%A4"));
  EXPECT_THAT(LinksOf(kBody, ""), IsEmpty());
}

TEST_F(XmlBoundsTest, WithoutCharsetTheDeclarationHolds) {
  EXPECT_THAT(
      LinksOf("<?xml version='1.0' encoding='iso-8859-1'?><rss><link>/\xE4</link></rss>", ""),
      ElementsAre("/%C3%A4"));
}

// XHTML names its DTD and uses the entities of it, which we do not read.
TEST_F(XmlBoundsTest, UndefinedEntitiesAreSkipped) {
  constexpr std::string_view kPage =
      "<html xmlns='http://www.w3.org/1999/xhtml'>&nbsp;<a title='&copy;' href='/1&amp;2'/></html>";
  EXPECT_THAT(LinksOf(kPage), ElementsAre("/1&2"));
  EXPECT_TRUE(outcome_.well_formed);
  EXPECT_THAT(LinksOf("<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.0 Strict//EN' "
                      "'http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd'>" +
                      std::string(kPage)),
              ElementsAre("/1&2"));
  EXPECT_TRUE(outcome_.well_formed);
}

TEST_F(XmlBoundsTest, DeclaredEntityEndsTheParse) {
  for (const char* declaration :
       {"<!ENTITY a '/1'>", "<!ENTITY a SYSTEM 'file:///etc/passwd'>", "<!ENTITY % a '/1'>"}) {
    EXPECT_THAT(LinksOf("<!DOCTYPE rss [" + std::string(declaration) +
                        "]><rss><link>/x&a;</link><link>/2</link></rss>"),
                IsEmpty());
    EXPECT_FALSE(outcome_.well_formed) << declaration;
  }
}

// Default attributes would be copied to each element: a second kind of bomb.
TEST_F(XmlBoundsTest, DeclaredAttributeEndsTheParse) {
  EXPECT_THAT(LinksOf("<!DOCTYPE d [<!ATTLIST d xlink:href CDATA '/1'>]><d/>"), IsEmpty());
  EXPECT_FALSE(outcome_.well_formed);
}

TEST_F(XmlBoundsTest, HarmlessInternalSubsetIsRead) {
  EXPECT_THAT(LinksOf("<!DOCTYPE rss [<!ELEMENT rss ANY> %x;]><rss><link>/1</link></rss>"),
              ElementsAre("/1"));
}

TEST_F(XmlBoundsTest, BillionLaughsAreNotLaughed) {
  std::string bomb = "<!DOCTYPE rss [<!ENTITY l0 'ha'>";
  for (int i = 1; i < 30; ++i) {
    const std::string last = "&l" + std::to_string(i - 1) + ";";
    bomb += "<!ENTITY l" + std::to_string(i) + " '" + last + last + last + last + "'>";
  }
  EXPECT_THAT(LinksOf(bomb + "]><rss><link>&l29;</link></rss>"), IsEmpty());
  EXPECT_FALSE(outcome_.well_formed);
}

TEST_F(XmlBoundsTest, DeepNestingEndsTheParseAndKeepsTheLinks) {
  const auto nested = [](size_t depth) {
    std::string body = "<rss><link>/1</link>";
    for (size_t i = 1; i < depth; ++i) body += "<a>";
    body += "<link>/2</link>";
    for (size_t i = 1; i < depth; ++i) body += "</a>";
    return body + "</rss>";
  };
  EXPECT_THAT(LinksOf(nested(kXmlDepthMax - 1)), ElementsAre("/1", "/2"));
  EXPECT_TRUE(outcome_.well_formed);
  EXPECT_THAT(LinksOf(nested(kXmlDepthMax)), ElementsAre("/1"));
  EXPECT_THAT(LinksOf(nested(1'000'000)), ElementsAre("/1"));
  EXPECT_FALSE(outcome_.well_formed);
}

TEST_F(XmlBoundsTest, AttributesBeyondTheBoundAreNotSeen) {
  std::string many;
  for (size_t i = 0; i < kXmlAttributesMax - 1; ++i) many += " a" + std::to_string(i) + "=''";
  EXPECT_THAT(LinksOf("<d" + many + " xlink:href='/1'/>"), ElementsAre("/1"));
  EXPECT_THAT(LinksOf("<d" + many + " b='' xlink:href='/1'/>"), IsEmpty());
}

// Each distinct name is kept to the end of the document, at many times its size.
TEST_F(XmlBoundsTest, ParserMemoryIsBounded) {
  std::string body = "<rss><link>/1</link>";
  for (int i = 0; i < 600'000; ++i) body += "<n" + std::to_string(i) + "/>";
  EXPECT_THAT(LinksOf(body + "</rss>"), ElementsAre("/1"));
  EXPECT_FALSE(outcome_.well_formed);
}

// The bound is on what a document makes the parser hold, not on its size.
TEST_F(XmlBoundsTest, LargeDocumentIsReadToItsEnd) {
  std::string body = "<rss>";
  body.resize(18 << 20, ' ');
  EXPECT_THAT(LinksOf(body + "<link>/1</link></rss>"), ElementsAre("/1"));
  EXPECT_TRUE(outcome_.well_formed);
}

// A namespace name of a megabyte must not be copied for each of a hundred thousand attributes.
TEST_F(XmlBoundsTest, LongNamespaceNamesAreNotCopied) {
  std::string body = "<rss xmlns:p='" + std::string(1 << 20, 'x') + "'>";
  for (int i = 0; i < 100'000; ++i) body += "<p:b p:a=''/>";
  EXPECT_THAT(LinksOf(body + "<link>/1</link></rss>"), ElementsAre("/1"));
  EXPECT_TRUE(outcome_.well_formed);
}

TEST_F(XmlBoundsTest, OverlongTextIsARejectedLink) {
  EXPECT_THAT(LinksOf("<rss><link>/" + std::string(10 * kXmlTextBytesMax, 'x') + "</link></rss>"),
              IsEmpty());
  EXPECT_EQ(result_.rejected, 1u);
}

TEST_F(XmlBoundsTest, TextOfInnerElementsIsNotOurs) {
  EXPECT_THAT(LinksOf("<rss><link>/a<b>zzz</b>b</link></rss>"), ElementsAre("/ab"));
}

TEST_F(XmlBoundsTest, StopsWhenTheLinksAreFull) {
  limits_.links_max = 2;
  EXPECT_THAT(LinksOf("<rss><link>/1</link><link>/2</link><link>/3</link><link>/4</link></rss>"),
              ElementsAre("/1", "/2"));
  EXPECT_TRUE(result_.truncated);
}

}  // namespace
}  // namespace opic::links
