// Links of each XML language, with the section that says so.
#include "links/xml_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/links/xml_document.h"

namespace opic::links {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using XmlLinksTest = XmlDocumentTest;

// --- RSS 2.0: https://www.rssboard.org/rss-specification

TEST_F(XmlLinksTest, RssGivesLinksOfChannelAndItems) {
  EXPECT_THAT(LinksOf("<rss version='2.0'><channel><title>T</title><link>http://h/</link>"
                      "<item><link> /1\n</link><comments>/1/c</comments></item>"
                      "<item><link><![CDATA[http://h/2?a=1&b=2]]></link></item></channel></rss>"),
              ElementsAre("/", "/1", "/1/c", "/2?a=1&b=2"));
  EXPECT_EQ(outcome_.kind, Kind::kFeed);
  EXPECT_TRUE(outcome_.well_formed);
}

TEST_F(XmlLinksTest, RssGuidIsALinkUnlessItSaysNo) {
  EXPECT_THAT(LinksOf("<rss><item><guid>http://h/1</guid></item>"
                      "<item><guid isPermaLink='true'>https://h/2</guid></item>"
                      "<item><guid isPermaLink='false'>http://h/3</guid></item></rss>"),
              ElementsAre("/1", "/2"));
}

// Many feeds forget isPermaLink="false"; "4711" is no relative link.
TEST_F(XmlLinksTest, RssGuidThatIsNoUrlIsNoLink) {
  EXPECT_THAT(LinksOf("<rss><guid>4711</guid><guid>tag:h,2001:x</guid></rss>"), IsEmpty());
  EXPECT_EQ(result_.rejected, 0u);
}

TEST_F(XmlLinksTest, RssEnclosureAndSourceAreLinks) {
  EXPECT_THAT(LinksOf("<rss><enclosure url='/a.mp3' length='1'/><source url='/f'>F</source></rss>"),
              ElementsAre("/a.mp3", "/f"));
}

TEST_F(XmlLinksTest, AtomLinkInRssIsReadByItsNamespace) {
  EXPECT_THAT(LinksOf("<rss xmlns:a='http://www.w3.org/2005/Atom' xmlns:o='urn:other'><channel>"
                      "<a:link rel='self' href='/feed'/><o:link>/other</o:link></channel></rss>"),
              ElementsAre("/feed"));
}

// --- RSS 1.0: https://web.resource.org/rss/1.0/spec

TEST_F(XmlLinksTest, Rss10IsReadByItsNamespace) {
  EXPECT_THAT(
      LinksOf("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
              "xmlns='http://purl.org/rss/1.0/'><channel rdf:about='/f'><link>/</link></channel>"
              "<item rdf:about='/1'><link>/1</link></item></rdf:RDF>"),
      ElementsAre("/", "/1"));
  EXPECT_EQ(outcome_.kind, Kind::kFeed);
}

TEST_F(XmlLinksTest, OtherRdfIsNoFeed) {
  LinksOf("<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>");
  EXPECT_EQ(outcome_.kind, Kind::kXml);
}

// --- Atom: RFC 4287

// Section 4.2.7.2: without rel, a link is an alternate.
TEST_F(XmlLinksTest, AtomGivesLinksOfPages) {
  EXPECT_THAT(LinksOf("<feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='/f'/>"
                      "<link rel='next' href='/f?2'/><entry><link href='/1'/>"
                      "<link rel='alternate' href='/2'/><content src='/3'/>"
                      "<author><uri>http://a.example/</uri></author></entry></feed>"),
              ElementsAre("/f", "/f?2", "/1", "/2", "/3", "http://a.example/"));
  EXPECT_EQ(outcome_.kind, Kind::kFeed);
}

TEST_F(XmlLinksTest, AtomServicesAreNoLinks) {
  EXPECT_THAT(LinksOf("<feed xmlns='http://www.w3.org/2005/Atom'><link rel='hub' href='/hub'/>"
                      "<link rel='edit' href='/e'/><link rel='nofollow' href='/n'/></feed>"),
              IsEmpty());
  EXPECT_EQ(result_.nofollowed, 1u);
}

// Section 2: xml:base holds for an element and what is in it.
TEST_F(XmlLinksTest, XmlBaseHoldsWithinItsElement) {
  EXPECT_THAT(LinksOf("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='/a/'>"
                      "<entry xml:base='b/'><link href='1'/></entry><link href='2'/></feed>"),
              ElementsAre("/a/b/1", "/a/2"));
}

TEST_F(XmlLinksTest, AtomNameInAnotherNamespaceIsNoLink) {
  EXPECT_THAT(LinksOf("<feed xmlns='urn:other'><link href='/1'/></feed>"), IsEmpty());
  EXPECT_EQ(outcome_.kind, Kind::kXml);
}

TEST_F(XmlLinksTest, XhtmlInAFeedIsReadWithItsXmlBase) {
  EXPECT_THAT(LinksOf("<feed xmlns='http://www.w3.org/2005/Atom'><content xml:base='/c/'>"
                      "<div xmlns='http://www.w3.org/1999/xhtml'><base href='/no/'/>"
                      "<a href='1'>x</a></div></content></feed>"),
              ElementsAre("/c/1"));
}

// --- Sitemaps: https://www.sitemaps.org/protocol.html

constexpr char kSitemapNs[] = "http://www.sitemaps.org/schemas/sitemap/0.9";

TEST_F(XmlLinksTest, SitemapGivesItsLocations) {
  EXPECT_THAT(LinksOf(std::string("<?xml version='1.0'?>\n<urlset xmlns='") + kSitemapNs +
                      "'><url><loc>http://h/1?a&amp;b</loc><lastmod>2001</lastmod></url>"
                      "<url><loc>\n http://h/2 \n</loc></url></urlset>"),
              ElementsAre("/1?a&b", "/2"));
  EXPECT_EQ(outcome_.kind, Kind::kSitemap);
}

TEST_F(XmlLinksTest, SitemapIndexGivesItsSitemaps) {
  EXPECT_THAT(LinksOf(std::string("<s:sitemapindex xmlns:s='") + kSitemapNs +
                      "'><s:sitemap><s:loc>/1.xml.gz</s:loc></s:sitemap></s:sitemapindex>"),
              ElementsAre("/1.xml.gz"));
  EXPECT_EQ(outcome_.kind, Kind::kSitemapIndex);
}

TEST_F(XmlLinksTest, SitemapWithoutOrWithAWrongNamespaceIsStillOne) {
  for (const std::string ns :
       {"", " xmlns='https://www.sitemaps.org/schemas/sitemap/0.9'",
        " xmlns='http://www.google.com/schemas/sitemap/0.84'", " xmlns='http://h/nonsense'"}) {
    EXPECT_THAT(LinksOf("<urlset" + ns + "><url><loc>/1</loc></url></urlset>"), ElementsAre("/1"))
        << ns;
  }
}

TEST_F(XmlLinksTest, LocationsOfImagesAreNoPages) {
  EXPECT_THAT(LinksOf(std::string("<urlset xmlns='") + kSitemapNs +
                      "' xmlns:i='http://www.google.com/schemas/sitemap-image/1.1'>"
                      "<url><loc>/1</loc><i:image><i:loc>/p.png</i:loc></i:image></url></urlset>"),
              ElementsAre("/1"));
}

TEST_F(XmlLinksTest, AlternatesInSitemapsAreReadAsXhtml) {
  EXPECT_THAT(LinksOf(std::string("<urlset xmlns='") + kSitemapNs +
                      "' xmlns:x='http://www.w3.org/1999/xhtml'><url><loc>/en</loc>"
                      "<x:link rel='alternate' hreflang='de' href='/de'/></url></urlset>"),
              ElementsAre("/en", "/de"));
}

// --- XLink 1.1, xml-stylesheet, xml-model

TEST_F(XmlLinksTest, XlinkIsALinkOnAnyElement) {
  EXPECT_THAT(LinksOf("<doc xmlns:l='http://www.w3.org/1999/xlink'>"
                      "<see l:type='simple' l:href='/1'/><b><c l:href='2'/></b></doc>"),
              ElementsAre("/1", "/d/2"));
  EXPECT_EQ(outcome_.kind, Kind::kXml);
}

TEST_F(XmlLinksTest, OtherHrefsAreNoXlink) {
  EXPECT_THAT(LinksOf("<doc xmlns:l='urn:other'><a l:href='/1' href='/2' m:href='/3'/></doc>"),
              IsEmpty());
}

TEST_F(XmlLinksTest, PrefixMeansWhatItsInnermostDeclarationSays) {
  EXPECT_THAT(LinksOf("<doc xmlns:l='http://www.w3.org/1999/xlink'>"
                      "<in xmlns:l='urn:other' l:href='/1'/><out l:href='/2'/></doc>"),
              ElementsAre("/2"));
}

TEST_F(XmlLinksTest, StylesheetsAndModelsOfTheDocumentAreLinks) {
  EXPECT_THAT(
      LinksOf("<?xml version='1.0'?><?xml-stylesheet type=\"text/xsl\" href='s.xsl?a&amp;b'?>"
              "<?xml-model href = \"/m.rng\"?><?other href='/o'?><doc/>"),
      ElementsAre("/d/s.xsl?a&b", "/m.rng"));
}

// Both specifications know the instructions before the root element only.
TEST_F(XmlLinksTest, InstructionsAfterTheRootAreNot) {
  EXPECT_THAT(LinksOf("<doc><?xml-stylesheet href='/1'?></doc>"), IsEmpty());
}

TEST_F(XmlLinksTest, MalformedInstructionsGiveNothing) {
  EXPECT_THAT(LinksOf("<?xml-stylesheet?><?xml-stylesheet href?><?xml-stylesheet href=x?>"
                      "<?xml-stylesheet href='x?><?xml-stylesheet a='href' b=\"?\"?><doc/>"),
              IsEmpty());
  EXPECT_TRUE(outcome_.well_formed);
}

// --- XHTML: https://www.w3.org/TR/xhtml1/

constexpr char kXhtml[] = "<html xmlns='http://www.w3.org/1999/xhtml'>";

TEST_F(XmlLinksTest, XhtmlGivesTheLinksOfHtml) {
  EXPECT_THAT(
      LinksOf(std::string(kXhtml) +
              "<head><base href='/b/'/><link rel='next' href='1'/></head><body><a href='2'/>"
              "<map><area href='3'/></map><iframe src='4'/><frame src='5'/></body></html>"),
      ElementsAre("/b/1", "/b/2", "/b/3", "/b/4", "/b/5"));
  EXPECT_EQ(outcome_.kind, Kind::kXhtml);
}

TEST_F(XmlLinksTest, XhtmlNofollowLinksAreOnlyCounted) {
  EXPECT_THAT(LinksOf(std::string(kXhtml) + "<a rel='nofollow' href='/1'/><a href='/2'/></html>"),
              ElementsAre("/2"));
  EXPECT_EQ(result_.nofollowed, 1u);
}

TEST_F(XmlLinksTest, XhtmlMetaRobotsIsReported) {
  LinksOf(std::string(kXhtml) +
          "<head><meta name='robots' content='noindex, nofollow'/></head></html>");
  EXPECT_TRUE(outcome_.nofollow);
  EXPECT_TRUE(outcome_.noindex);
  LinksOf(std::string(kXhtml) + "<head><meta name='robots' content='all'/></head></html>");
  EXPECT_FALSE(outcome_.nofollow);
  EXPECT_FALSE(outcome_.noindex);
}

TEST_F(XmlLinksTest, ContentOfXhtmlTemplatesIsNoPartOfTheDocument) {
  EXPECT_THAT(LinksOf(std::string(kXhtml) + "<template><a href='/1'/><template/><a href='/2'/>"
                                            "</template><a href='/3'/></html>"),
              ElementsAre("/3"));
}

TEST_F(XmlLinksTest, HtmlRootWithoutNamespaceIsTakenForXhtml) {
  EXPECT_THAT(LinksOf("<html><a href='/1'/></html>"), ElementsAre("/1"));
  EXPECT_EQ(outcome_.kind, Kind::kXhtml);
  EXPECT_THAT(LinksOf("<html xmlns='urn:other'><a xmlns='' href='/1'/></html>"), IsEmpty());
}

TEST_F(XmlLinksTest, XmlBaseMeansNothingInXhtml) {
  EXPECT_THAT(
      LinksOf("<html xmlns='http://www.w3.org/1999/xhtml' xml:base='/x/'><a href='1'/></html>"),
      ElementsAre("/d/1"));
}

TEST_F(XmlLinksTest, SvgLinksHaveHrefOrXlinkHref) {
  EXPECT_THAT(
      LinksOf("<svg xmlns='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink'>"
              "<a href='/1'/><a l:href='/2'/><a rel='nofollow' l:href='/3'/>"
              "<use l:href='#g'/></svg>"),
      ElementsAre("/1", "/2"));
  EXPECT_EQ(result_.nofollowed, 1u);
}

// --- Sniffing

TEST(SniffXmlTest, RootElementTellsTheLanguage) {
  EXPECT_EQ(SniffXml("<rss version='2.0'>"), Kind::kFeed);
  EXPECT_EQ(SniffXml("\xEF\xBB\xBF <?xml version='1.0'?><!-- <urlset> --><a:feed/>"), Kind::kFeed);
  EXPECT_EQ(SniffXml("<?xml version='1.0'?><rdf:RDF>"), Kind::kFeed);
  EXPECT_EQ(SniffXml("<urlset\nxmlns=''>"), Kind::kSitemap);
  EXPECT_EQ(SniffXml("<?a?><!DOCTYPE s [<!ELEMENT a ANY>]>\n<s:sitemapindex>"),
            Kind::kSitemapIndex);
}

TEST(SniffXmlTest, OtherXmlMustDeclareItself) {
  EXPECT_EQ(SniffXml("<?xml version='1.0'?><doc>"), Kind::kXml);
  EXPECT_EQ(SniffXml("<?xml version='1.0'?><!DOCTYPE html><html>"), Kind::kXhtml);
  EXPECT_EQ(SniffXml("<html xmlns='http://www.w3.org/1999/xhtml'>"), Kind::kOther);
  EXPECT_EQ(SniffXml("<doc>"), Kind::kOther);
}

TEST(SniffXmlTest, OtherBytesAreOther) {
  for (const char* body : {"", " ", "rss", "<", "<!--", "<!DOCTYPE", "<?", "\x1f\x8b"}) {
    EXPECT_EQ(SniffXml(body), Kind::kOther) << body;
  }
}

}  // namespace
}  // namespace opic::links
