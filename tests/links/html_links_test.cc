// Which elements are links, by both parsers: every rule is asked of each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "html_page.h"

namespace opic::links {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Reader = Result (*)(std::string_view html);

class HtmlLinksTest : public testing::TestWithParam<Reader> {
 protected:
  Result Read(std::string_view html) { return GetParam()(html); }
  std::vector<std::string> LinksOf(std::string_view html) { return Links(Read(html)); }
};

INSTANTIATE_TEST_SUITE_P(BothParsers, HtmlLinksTest, testing::Values(&ByGumbo, &ByScanner),
                         [](const testing::TestParamInfo<Reader>& info) {
                           return info.param == Reader{&ByGumbo} ? "Gumbo" : "Scanner";
                         });

TEST_P(HtmlLinksTest, AnchorsAreasFramesAndLinkElementsAreLinksInDocumentOrder) {
  EXPECT_THAT(LinksOf("<head><link rel=next href=n></head><a href=a>x</a><map><area href=b></map>"
                      "<iframe src=c></iframe><a href='/d'>y</a>"),
              ElementsAre("/dir/n", "/dir/a", "/dir/b", "/dir/c", "/d"));
  EXPECT_THAT(LinksOf("<frameset><frame src=f1><frame src=f2></frameset>"),
              ElementsAre("/dir/f1", "/dir/f2"));
}

TEST_P(HtmlLinksTest, FirstBaseWithHrefHolds) {
  EXPECT_THAT(LinksOf("<base target=_top><base href=/b/><base href=/c/><a href=x>x</a>"),
              ElementsAre("/b/x"));
}

TEST_P(HtmlLinksTest, UselessBaseIsIgnored) {
  EXPECT_THAT(LinksOf("<base href='javascript:1'><a href=x>x</a>"), ElementsAre("/dir/x"));
}

TEST_P(HtmlLinksTest, NofollowIsCountedAndLeftOut) {
  const Result result = Read(
      "<a rel='external NoFollow' href=a>x</a><a rel=ugc href=b>y</a><a rel=sponsored "
      "href=c>z</a>");
  EXPECT_THAT(Links(result), ElementsAre("/dir/b", "/dir/c"));
  EXPECT_EQ(result.nofollowed, 1u);
}

TEST_P(HtmlLinksTest, ObjectsAndFormsAreNoLinksUnlessAskedFor) {
  EXPECT_THAT(LinksOf("<object data=a></object><embed src=b><form action=c></form><a href=d>"),
              ElementsAre("/dir/d"));
}

TEST_P(HtmlLinksTest, ResourcesOfThePageAreNoLinks) {
  EXPECT_THAT(LinksOf("<link rel=stylesheet href=a.css><link rel='shortcut icon' href=i.ico>"
                      "<link rel=preload href=p><link rel='alternate stylesheet' href=s>"
                      "<link rel=dns-prefetch href=//cdn.example><script src=s.js></script>"
                      "<img src=i.png><link rel=canonical href=c><link rel=alternate href=feed>"),
              ElementsAre("/dir/c", "/dir/feed"));
}

TEST_P(HtmlLinksTest, OfLinkTheRelationsThatLeadToPagesAreFollowed) {
  EXPECT_THAT(LinksOf("<link rel=next href=1><link rel='Prefetch PREV' href=2>"
                      "<link rel=amphtml href=3><link rel='nofollow author' href=no>"
                      "<link rel=alternate hreflang=de href=4>"
                      "<link rel=alternate type='Text/HTML; charset=utf-8' href=5>"
                      "<link rel=alternate type=application/atom+xml href=6>"
                      "<link rel=sitemap type=application/xml href=7>"),
              ElementsAre("/dir/1", "/dir/2", "/dir/3", "/dir/4", "/dir/5", "/dir/6", "/dir/7"));
}

TEST_P(HtmlLinksTest, ServicesForProgramsAreNoLinks) {
  EXPECT_THAT(LinksOf("<link rel=shortlink href=1><link rel=https://api.w.org/ href=2>"
                      "<link rel=alternate type=application/json+oembed href=3>"
                      "<link rel=alternate type=text/xml+oembed href=4>"
                      "<link rel='alternate icon' type=image/png href=5>"
                      "<link rel=search type=application/opensearchdescription+xml href=6>"
                      "<link href=7><link rel='' href=8><link rel=EditURI href=9>"),
              IsEmpty());
}

TEST_P(HtmlLinksTest, ShadowRootsArePartOfTheDocument) {
  EXPECT_THAT(LinksOf("<div><template shadowrootmode=open><a href=1>x</a>"
                      "<template><a href=no>y</a></template><a href=2>z</a></template></div>"
                      "<template shadowrootmode=other><a href=no2></a></template>"
                      "<template><div><template shadowrootmode=closed><a href=no3></a></template>"
                      "</div></template><a href=3>w</a>"),
              ElementsAre("/dir/1", "/dir/2", "/dir/3"));
}

// It ended at ">", and what is text became a link.
TEST_P(HtmlLinksTest, CdataInForeignTextIsText) {
  EXPECT_THAT(LinksOf("<svg><title><![CDATA[a > b <a href=no>]]></title></svg>"
                      "<svg><desc><![CDATA[ > <a href=no2>]]><a href=1>x</a></desc></svg>"
                      "<math><mi><![CDATA[ > <a href=no3>]]></mi></math><a href=2>y</a>"),
              ElementsAre("/dir/1", "/dir/2"));
}

TEST_P(HtmlLinksTest, OnlySvgHasTitlesWithHtmlInside) {
  EXPECT_THAT(LinksOf("<math><title><style><a href=1>x</a></style></title></math>"),
              ElementsAre("/dir/1"));
}

TEST_P(HtmlLinksTest, MetaRobotsSpeaksForThePage) {
  EXPECT_TRUE(Read("<meta name=robots content='noarchive, NOFOLLOW'>").nofollow);
  EXPECT_TRUE(Read("<meta name=ROBOTS content=none>").noindex);
  EXPECT_TRUE(Read("<meta name=Opic content='noindex nofollow'>").nofollow);
  EXPECT_FALSE(Read("<meta name=otherbot content=none>").nofollow);
  EXPECT_FALSE(Read("<meta name=robots content='index,follow'>").nofollow);
}

TEST_P(HtmlLinksTest, MetaRefreshIsALink) {
  EXPECT_THAT(LinksOf("<meta http-equiv=Refresh content=\"0; URL='next.html'\">"),
              ElementsAre("/dir/next.html"));
  EXPECT_THAT(LinksOf("<meta http-equiv=refresh content=30>"), IsEmpty());
}

TEST_P(HtmlLinksTest, WhatIsNoWebAddressIsCounted) {
  const Result result = Read(
      "<a href='javascript:f()'>x</a><a href=mailto:a@b.example>y</a><a href='http://['>z</a>");
  EXPECT_THAT(Links(result), IsEmpty());
  EXPECT_EQ(result.rejected, 3u);
}

TEST_P(HtmlLinksTest, RepeatsFragmentsAndThePageItselfAreDropped) {
  EXPECT_THAT(LinksOf("<a href=a>1</a><a href=a#x>2</a><a href=#top>3</a><a href=''>4</a>"
                      "<a href=page.html>5</a><a name=here>6</a>"),
              ElementsAre("/dir/a"));
}

TEST_P(HtmlLinksTest, MarkupInRawTextAndCommentsIsText) {
  EXPECT_THAT(LinksOf("<title><a href=1></title><style><a href=2></style><!-- <a href=3> -->"
                      "<script>'<a href=4>'</script><textarea><a href=5></textarea>"
                      "<iframe><a href=6></iframe><xmp><a href=7></xmp><a href=ok>x</a>"),
              ElementsAre("/dir/ok"));
}

TEST_P(HtmlLinksTest, NoscriptIsReadSinceNothingRunsScripts) {
  EXPECT_THAT(LinksOf("<body><noscript><a href=n>x</a></noscript>"), ElementsAre("/dir/n"));
}

TEST_P(HtmlLinksTest, TemplatesAreNoPartOfTheDocument) {
  EXPECT_THAT(
      LinksOf("<template><a href='{{x}}'>t</a><template></template><a href=u></a></template>"
              "<a href=a>x</a>"),
      ElementsAre("/dir/a"));
}

TEST_P(HtmlLinksTest, CharacterReferencesAreDecodedAsInAttributes) {
  EXPECT_THAT(LinksOf("<a href='?a=1&amp;b=2&copy=3&#x26;d&lt'>x</a>"),
              ElementsAre("/dir/page.html?a=1&b=2&copy=3&d%3C"));
}

// Each value has its own room, however many of a tag are decoded.
TEST_P(HtmlLinksTest, SeveralValuesOfATagAreDecoded) {
  EXPECT_THAT(LinksOf("<link rel='n&#101;xt' href='a?b&amp;c'>"
                      "<meta content='1;url=/d?e&amp;f' http-equiv='r&#101;fresh'>"
                      "<a href='g?h&amp;i' rel='&amp;'>x</a>"),
              ElementsAre("/dir/a?b&c", "/d?e&f", "/dir/g?h&i"));
  const Result result = Read("<link href='a?b&amp;c' type='text/html&amp;' rel='c&#97;nonical'>");
  ASSERT_TRUE(result.canonical);
  EXPECT_EQ(result.canonical->path_and_query(), "/dir/a?b&c");
}

TEST_P(HtmlLinksTest, FirstOfRepeatedAttributesCounts) {
  EXPECT_THAT(LinksOf("<a href=1 HREF=2 href=3>x</a>"), ElementsAre("/dir/1"));
}

TEST_P(HtmlLinksTest, SvgHasLinksAndOrdinaryTitles) {
  EXPECT_THAT(LinksOf("<svg><title><a href=1>t</a></title><a xlink:href=2>u</a><style>x</style>"
                      "<![CDATA[<a href=no>]]><link href=no></svg><a href=3>v</a>"
                      "<![CDATA[<a href=4>w</a>]]>"),
              ElementsAre("/dir/1", "/dir/2", "/dir/3"));
}

TEST_P(HtmlLinksTest, HtmlElementEndsSvg) {
  EXPECT_THAT(LinksOf("<svg><g><p><title><a href=no></title></p><a href=a>x</a>"),
              ElementsAre("/dir/a"));
}

TEST_P(HtmlLinksTest, UnclosedLinksAreOneLinkEach) {
  EXPECT_THAT(LinksOf("<p><a href=1>one<p>two<div><a href=2>three<p>four"),
              ElementsAre("/dir/1", "/dir/2"));
  EXPECT_EQ(Read("<p><a rel=nofollow href=1>one<p>two<p>three").nofollowed, 1u);
}

}  // namespace
}  // namespace opic::links
