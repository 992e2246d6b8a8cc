#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "html_page.h"
#include "links/links.h"

namespace opic::links {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ExtractTest : public testing::Test {
 protected:
  Result Run(std::string_view content_type, std::string_view body, const Limits& limits = {}) {
    Document document;
    document.body = body;
    document.content_type = content_type;
    document.x_robots_tag = x_robots_tag_;
    document.url = &page_;
    return Extract(document, limits);
  }

  static Limits WithGumbo() {
    Limits limits;
    limits.gumbo = true;
    return limits;
  }

  const url::Url page_ = PageUrl();
  std::string x_robots_tag_;
};

TEST_F(ExtractTest, HtmlIsReadByTheScanner) {
  const Result result = Run("text/html", "<a href=x>y</a>");
  EXPECT_THAT(Links(result), ElementsAre("/dir/x"));
  EXPECT_EQ(result.kind, Kind::kHtml);
  EXPECT_EQ(result.parser, Parser::kScanner);
}

TEST_F(ExtractTest, GumboCanBeAskedFor) {
  const Result result = Run("text/html", "<a href=x>y</a>", WithGumbo());
  EXPECT_THAT(Links(result), ElementsAre("/dir/x"));
  EXPECT_EQ(result.kind, Kind::kHtml);
  EXPECT_EQ(result.parser, Parser::kGumbo);
}

TEST_F(ExtractTest, WhatTheGuardRefusesIsReadByTheScanner) {
  std::string body;
  for (int i = 0; i < 5000; ++i) body += "<div><b>";
  const Result result = Run("text/html", body + "<a href=x>y</a>", WithGumbo());
  EXPECT_THAT(Links(result), ElementsAre("/dir/x"));
  EXPECT_EQ(result.parser, Parser::kScanner);
}

TEST_F(ExtractTest, LinksAreBoundedInNumber) {
  Limits limits;
  limits.links_max = 2;
  for (bool gumbo : {false, true}) {
    limits.gumbo = gumbo;
    const Result result = Run("text/html", "<a href=1></a><a href=2></a><a href=3></a>", limits);
    EXPECT_THAT(Links(result), ElementsAre("/dir/1", "/dir/2"));
    EXPECT_TRUE(result.truncated);
  }
}

TEST_F(ExtractTest, NofollowOfThePageLeavesNoLinks) {
  EXPECT_THAT(Run("text/html", "<a href=x></a><meta name=robots content=nofollow>").links,
              IsEmpty());
  x_robots_tag_ = "noindex, nofollow";
  const Result result = Run("text/html", "<a href=x></a>");
  EXPECT_TRUE(result.nofollow && result.noindex);
  EXPECT_THAT(result.links, IsEmpty());
}

TEST_F(ExtractTest, CharsetOfHeaderOrMetaDecidesTheBytes) {
  const std::string body = "<a href='\xCF'>x</a>";  // koi8-r: U+043E
  EXPECT_THAT(Links(Run("text/html; charset=koi8-r", body)), ElementsAre("/dir/%D0%BE"));
  EXPECT_THAT(Links(Run("text/html", "<meta charset=koi8-r>" + body)), ElementsAre("/dir/%D0%BE"));
  EXPECT_THAT(Links(Run("text/html", body)), ElementsAre("/dir/%C3%8F"));
}

TEST_F(ExtractTest, Utf16PagesAreRead) {
  std::string body = "\xFF\xFE";
  for (char c : std::string("<a href=x>y</a>")) body += {c, '\0'};
  EXPECT_THAT(Links(Run("text/html", body)), ElementsAre("/dir/x"));
}

TEST_F(ExtractTest, XhtmlIsReadAsXml) {
  const Result result =
      Run("application/xhtml+xml",
          "<html xmlns='http://www.w3.org/1999/xhtml'><body><a href='x'/></body></html>");
  EXPECT_THAT(Links(result), ElementsAre("/dir/x"));
  EXPECT_EQ(result.kind, Kind::kXhtml);
  EXPECT_EQ(result.parser, Parser::kXml);
}

TEST_F(ExtractTest, XhtmlThatIsNoXmlIsReadAsHtml) {
  const Result result = Run("application/xhtml+xml", "<html><body><br><a href=x>y</a>");
  EXPECT_THAT(Links(result), ElementsAre("/dir/x"));
  EXPECT_EQ(result.kind, Kind::kXhtml);
  EXPECT_EQ(result.parser, Parser::kScanner);
}

TEST_F(ExtractTest, XmlInAnotherEncodingIsRead) {
  const Result result =
      Run("application/xml",
          "<?xml version='1.0' encoding='koi8-r'?><urlset xmlns='http://www.sitemaps.org/"
          "schemas/sitemap/0.9'><url><loc>http://site.example/\xCF</loc></url></urlset>");
  EXPECT_THAT(Links(result), ElementsAre("/%D0%BE"));
  EXPECT_EQ(result.kind, Kind::kSitemap);
}

TEST_F(ExtractTest, OtherTypesHaveNoLinks) {
  for (const char* type : {"text/plain", "image/png", "application/pdf", "nonsense"}) {
    const Result result = Run(type, "<a href=x>y</a> http://site.example/");
    EXPECT_THAT(result.links, IsEmpty()) << type;
    EXPECT_EQ(result.parser, Parser::kNone) << type;
  }
}

TEST_F(ExtractTest, WithoutATypeTheBodyDecides) {
  EXPECT_EQ(Run("", "<!doctype html><a href=x></a>").kind, Kind::kHtml);
  EXPECT_EQ(Run("", "<rss version='2.0'><channel/></rss>").kind, Kind::kFeed);
  EXPECT_EQ(Run("", "\x89PNG <a href=x>").kind, Kind::kOther);
  EXPECT_EQ(Run("", "").kind, Kind::kOther);
}

}  // namespace
}  // namespace opic::links
