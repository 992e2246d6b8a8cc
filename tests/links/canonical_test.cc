// What a document says of its canonical page: rel=canonical in the head, by both HTML parsers, in
// XHTML and in the Link header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "html_page.h"
#include "links/links.h"

namespace opic::links {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Reader = Result (*)(std::string_view html);

// "" for none.
std::string CanonicalOf(const Result& result) {
  if (!result.canonical) return "";
  const bool own = result.canonical->host() == "site.example";
  return own ? std::string(result.canonical->path_and_query()) : result.canonical->text();
}

class CanonicalHtmlTest : public testing::TestWithParam<Reader> {
 protected:
  std::string CanonicalIn(std::string_view html) { return CanonicalOf(GetParam()(html)); }
};

INSTANTIATE_TEST_SUITE_P(BothParsers, CanonicalHtmlTest, testing::Values(&ByGumbo, &ByScanner),
                         [](const testing::TestParamInfo<Reader>& info) {
                           return info.param == Reader{&ByGumbo} ? "Gumbo" : "Scanner";
                         });

TEST_P(CanonicalHtmlTest, ALinkInTheHeadNamesItAndIsALinkStill) {
  const Result result = GetParam()("<title>t</title><LINK REL='next Canonical' href='c?a&amp;b'>");
  EXPECT_EQ(CanonicalOf(result), "/dir/c?a&b");
  EXPECT_THAT(Links(result), ElementsAre("/dir/c?a&b"));
  EXPECT_EQ(CanonicalIn("<link rel=canonical href=//www.other.example/x>"),
            "http://www.other.example/x");
  EXPECT_EQ(CanonicalIn("<link rel=canonicals href=c><link rel=next href=n>"), "");
}

TEST_P(CanonicalHtmlTest, ItIsResolvedAgainstTheBase) {
  EXPECT_EQ(CanonicalIn("<base href=/b/><link rel=canonical href=c>"), "/b/c");
}

TEST_P(CanonicalHtmlTest, WhatStandsBeforeTheBodyIsTheHead) {
  EXPECT_EQ(
      CanonicalIn("<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title><p></title>"
                  "<script>'<p>'</script><style>p</style><noscript><style>q</style></noscript>"
                  "<base target=_top><template><p>x</template><!-- <p> -->"
                  "<link rel=stylesheet href=s></head><link rel=canonical href=c><body>"),
      "/dir/c");
  EXPECT_EQ(CanonicalIn("<head><noscript><link rel=canonical href=c></noscript>"), "/dir/c");
}

// There are comments and quotations of other pages, and nobody reads a canonical there.
TEST_P(CanonicalHtmlTest, InTheBodyItIsALinkLikeOthers) {
  for (const char* html :
       {"<head></head><body><link rel=canonical href=c>", "<p>x<link rel=canonical href=c>",
        "<head><title>t</title><div></div><link rel=canonical href=c></head>",
        "<svg></svg><link rel=canonical href=c>", "<x-y></x-y><link rel=canonical href=c>",
        "<noscript><img src=i></noscript><link rel=canonical href=c>"}) {
    const Result result = GetParam()(html);
    EXPECT_EQ(CanonicalOf(result), "") << html;
    EXPECT_THAT(Links(result), ElementsAre("/dir/c")) << html;
  }
  EXPECT_EQ(CanonicalIn("<a rel=canonical href=c>x</a>"), "");
}

TEST_P(CanonicalHtmlTest, WhatIsNoPageIsNone) {
  EXPECT_EQ(CanonicalIn("<link rel=canonical>"), "");
  EXPECT_EQ(CanonicalIn("<link rel=canonical href='mailto:a@b.example'>"), "");
  EXPECT_EQ(CanonicalIn("<link rel='canonical nofollow' href=c>"), "");
  EXPECT_EQ(CanonicalIn("<template><link rel=canonical href=c></template>"), "");
  // Templates that were not filled in: it would be the base.
  EXPECT_EQ(CanonicalIn("<base href=/><link rel=canonical href=''>"), "");
  EXPECT_EQ(CanonicalIn("<base href=/><link rel=canonical href=' '>"), "");
}

TEST_P(CanonicalHtmlTest, SeveralThatDifferAreNone) {
  const Result result = GetParam()(
      "<link rel=canonical href=c><link rel=canonical href=d><link rel=canonical href=c>");
  EXPECT_EQ(CanonicalOf(result), "");
  EXPECT_TRUE(result.canonicals_differ);
  EXPECT_THAT(Links(result), ElementsAre("/dir/c", "/dir/d"));
  const Result repeated =
      GetParam()("<link rel=canonical href=c><link rel=canonical href='/dir/c#x'>");
  EXPECT_EQ(CanonicalOf(repeated), "/dir/c");
  EXPECT_FALSE(repeated.canonicals_differ);
  EXPECT_TRUE(GetParam()("<link rel=canonical href=page.html><link rel=canonical href=c>")
                  .canonicals_differ)
      << "the document itself is one, too";
}

TEST_P(CanonicalHtmlTest, TheDocumentItselfIsNamedAndNoLink) {
  const Result result = GetParam()("<link rel=canonical href=page.html#top>");
  EXPECT_EQ(CanonicalOf(result), "/dir/page.html");
  EXPECT_THAT(Links(result), IsEmpty());
}

class CanonicalTest : public testing::Test {
 protected:
  Result Run(std::string_view content_type, std::string_view body, const Limits& limits = {}) {
    Document document;
    document.body = body;
    document.content_type = content_type;
    document.x_robots_tag = x_robots_tag_;
    document.link_header = link_header_;
    document.url = &page_;
    return Extract(document, limits);
  }

  const url::Url page_ = PageUrl();
  std::string x_robots_tag_, link_header_;
};

// RFC 6596, section 5.
TEST_F(CanonicalTest, TheHeaderNamesItOfAnyDocument) {
  link_header_ = "</style.css>; rel=preload, <c>; title=\"a, <no>\"; REL=\"up Canonical\"";
  EXPECT_EQ(CanonicalOf(Run("application/pdf", "%PDF-")), "/dir/c");
  EXPECT_EQ(CanonicalOf(Run("text/html", "<base href=/b/><p>x</p>")), "/dir/c");
  EXPECT_THAT(Links(Run("application/pdf", "%PDF-")), ElementsAre("/dir/c"));
}

TEST_F(CanonicalTest, HeaderAndDocumentMustAgree) {
  link_header_ = "<c>; rel=canonical";
  EXPECT_EQ(CanonicalOf(Run("text/html", "<link rel=canonical href=c>")), "/dir/c");
  const Result both = Run("text/html", "<link rel=canonical href=d>");
  EXPECT_EQ(CanonicalOf(both), "");
  EXPECT_TRUE(both.canonicals_differ);
  EXPECT_THAT(Links(both), ElementsAre("/dir/c", "/dir/d"));
}

TEST_F(CanonicalTest, OfAnotherContextItIsNone) {
  for (const char* header :
       {"<c>; rel=canonical; anchor=\"/other\"", "<c>; rel=\"canonical nofollow\"", "<c>; rel=next",
        "<mailto:a@b.example>; rel=canonical", "c; rel=canonical"}) {
    link_header_ = header;
    EXPECT_EQ(CanonicalOf(Run("text/plain", "x")), "") << header;
  }
}

// It asks that nothing in it be followed.
TEST_F(CanonicalTest, ADocumentThatIsNotToBeFollowedHasNone) {
  EXPECT_EQ(CanonicalOf(Run("text/html",
                            "<link rel=canonical href=c><meta name=robots "
                            "content=nofollow>")),
            "");
  x_robots_tag_ = "nofollow";
  EXPECT_EQ(CanonicalOf(Run("text/html", "<link rel=canonical href=c>")), "");
}

TEST_F(CanonicalTest, BehindTheBoundOfLinksItIsNone) {
  Limits limits;
  limits.links_max = 1;
  EXPECT_EQ(
      CanonicalOf(Run("text/html", "<link rel=next href=n><link rel=canonical href=c>", limits)),
      "");
  EXPECT_EQ(
      CanonicalOf(Run("text/html", "<link rel=canonical href=c><link rel=next href=n>", limits)),
      "/dir/c");
}

TEST_F(CanonicalTest, XhtmlNamesItInItsHead) {
  const std::string head =
      "<html xmlns='http://www.w3.org/1999/xhtml'><head><base href='/b/'/>"
      "<link rel='canonical' href='c'/></head><body>";
  const Result result = Run("application/xhtml+xml", head + "</body></html>");
  EXPECT_EQ(result.parser, Parser::kXml);
  EXPECT_EQ(CanonicalOf(result), "/b/c");
  EXPECT_EQ(CanonicalOf(Run("application/xhtml+xml",
                            head + "<link rel='canonical' href='d'/></body></html>")),
            "/b/c");
}

TEST_F(CanonicalTest, WhatAFeedQuotesIsNotTheFeeds) {
  const Result result =
      Run("application/atom+xml",
          "<feed xmlns='http://www.w3.org/2005/Atom'><entry><content type='xhtml'>"
          "<div xmlns='http://www.w3.org/1999/xhtml'><link rel='canonical' href='c'/></div>"
          "</content></entry></feed>");
  EXPECT_EQ(CanonicalOf(result), "");
  EXPECT_THAT(Links(result), ElementsAre("/dir/c"));
}

}  // namespace
}  // namespace opic::links
