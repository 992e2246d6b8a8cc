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
    document.link_header = link_header_;
    document.refresh_header = refresh_header_;
    document.url = &page_;
    return Extract(document, limits);
  }

  static Limits WithGumbo() {
    Limits limits;
    limits.gumbo = true;
    return limits;
  }

  const url::Url page_ = PageUrl();
  std::string x_robots_tag_, link_header_, refresh_header_;
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

TEST_F(ExtractTest, XhtmlWithAnErrorIsReadBeyondIt) {
  const Result result =
      Run("application/xhtml+xml",
          "<html xmlns='http://www.w3.org/1999/xhtml'><head><meta name='robots' content='noindex'/>"
          "</head><body><a href='x'/><a rel='nofollow' href='n'/>&nothing<br><a href='y'></body>");
  EXPECT_THAT(Links(result), ElementsAre("/dir/x", "/dir/y"));
  EXPECT_EQ(result.kind, Kind::kXhtml);
  EXPECT_EQ(result.nofollowed, 1u);
  EXPECT_TRUE(result.noindex);
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
  for (const char* type : {"text/plain", "image/png", "application/pdf"}) {
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

// The head of a post as WordPress writes it. Twelve requests followed from it, of which eight were
// for services: REST, RSD, short link, oEmbed, a picture, OpenSearch.
TEST_F(ExtractTest, OfAWordPressPostNoServiceIsFollowed) {
  constexpr std::string_view kHead =
      "<link rel=profile href=https://gmpg.org/xfn/11>"
      "<link rel=stylesheet href=/style.css>"
      "<link rel=dns-prefetch href=//s.w.org>"
      "<link rel=alternate type=application/rss+xml title='Feed' href=/feed/>"
      "<link rel=alternate type=application/rss+xml title='Comments' href=/hello/feed/>"
      "<link rel=https://api.w.org/ href=/wp-json/>"
      "<link rel=alternate type=application/json href=/wp-json/wp/v2/posts/1>"
      "<link rel=EditURI type=application/rsd+xml href=/xmlrpc.php?rsd>"
      "<link rel=prev href=/before/><link rel=canonical href=/hello/>"
      "<link rel=shortlink href=/?p=1>"
      "<link rel=alternate type=application/json+oembed href=/wp-json/oembed/1.0/embed?url=x>"
      "<link rel=alternate type=text/xml+oembed href=/wp-json/oembed/1.0/embed?url=x&format=xml>"
      "<link rel=image_src href=/a.jpg>"
      "<link rel=search type=application/opensearchdescription+xml href=/osd.xml>";
  EXPECT_THAT(Links(Run("text/html", kHead)),
              ElementsAre("/feed/", "/hello/feed/", "/before/", "/hello/"));
}

TEST_F(ExtractTest, FurtherRelationsAreFollowedWhenAskedFor) {
  Limits limits;
  limits.link_rels = {"ShortLink"};
  const std::string_view head = "<link rel=shortlink href=/1><link rel=icon href=/2>";
  EXPECT_THAT(Links(Run("text/html", head, limits)), ElementsAre("/1"));
  const std::string xhtml =
      "<html xmlns='http://www.w3.org/1999/xhtml'><link rel='shortlink' href='/1'/></html>";
  EXPECT_THAT(Links(Run("application/xhtml+xml", xhtml, limits)), ElementsAre("/1"));
  EXPECT_THAT(Links(Run("application/xhtml+xml", xhtml)), IsEmpty());
}

TEST_F(ExtractTest, FurtherElementsAreFollowedWhenAskedFor) {
  const std::string body =
      "<object data='1' type='text/html'><embed src='2'/></object><form action='3?x=y#z'></form>"
      "<form action='no' method='POST'></form><form action='4' method='Get'><p>x</p></form>"
      "<form action='' ></form><form action='5' method='other'></form><form></form>"
      "<form action='no' rel='nofollow'></form>";
  const std::string xhtml =
      "<html xmlns='http://www.w3.org/1999/xhtml'><body>" + body + "</body></html>";
  Limits limits;
  limits.further = {.object = true, .embed = true, .form = true};
  for (const bool gumbo : {false, true}) {
    limits.gumbo = gumbo;
    const Result result = Run("text/html", body + "<svg><form action=no /></svg>", limits);
    EXPECT_THAT(Links(result), ElementsAre("/dir/1", "/dir/2", "/dir/3", "/dir/4", "/dir/5"));
    EXPECT_EQ(result.nofollowed, 1u);
  }
  EXPECT_THAT(Links(Run("application/xhtml+xml", xhtml, limits)),
              ElementsAre("/dir/1", "/dir/2", "/dir/3", "/dir/4", "/dir/5"));
  limits.further = {.embed = true};
  EXPECT_THAT(Links(Run("text/html", body, limits)), ElementsAre("/dir/2"));
  EXPECT_THAT(Links(Run("text/html", body)), IsEmpty());
}

TEST_F(ExtractTest, FurtherRelationsLeaveLinksOutWhenAskedFor) {
  const std::string body =
      "<a rel='UGC' href=1>x</a><a rel='external sponsored' href=2>y</a><a href=3>z</a>";
  link_header_ = "<4>; rel=\"next ugc\"";
  EXPECT_THAT(Links(Run("text/html", body)), ElementsAre("/dir/4", "/dir/1", "/dir/2", "/dir/3"));
  Limits limits;
  limits.nofollow_rels = {"ugc", "Sponsored"};
  const Result result = Run("text/html", body, limits);
  EXPECT_THAT(Links(result), ElementsAre("/dir/3"));
  EXPECT_EQ(result.nofollowed, 3u);
}

TEST_F(ExtractTest, JsonFeedsAreRead) {
  const std::string feed = R"(  {"version": "https:\/\/jsonfeed.org/version/1.1", "title": "url",
      "home_page_url": "/home", "icon": "/no", "hubs": [{"type": "x", "url": "/no"}],
      "authors": [{"name": "\"url\": \"/no\"", "url": "/author", "avatar": "/no"}],
      "_more": {"url": "/no"}, "next_url": "/p?2\u0026\u00e9", "items": [
      {"id": "1", "url": "/\ud83d\ude00", "content_html": "<a href='/no'>", "tags": ["url", "/no"],
       "external_url": "http://other.example/", "attachments": [{"url": "/a.mp3"}]},
      {"url": 3, "image": "/no", "url": "/2"}]})";
  const Result result = Run("application/feed+json; charset=utf-8", feed);
  EXPECT_EQ(result.kind, Kind::kFeed);
  EXPECT_THAT(Links(result), ElementsAre("/home", "/author", "/p?2&%C3%A9", "/%F0%9F%98%80",
                                         "http://other.example/", "/a.mp3", "/2"));
  for (const char* type : {"application/json", ""})
    EXPECT_EQ(Links(Run(type, feed)), Links(result)) << type;
  EXPECT_THAT(Links(Run("application/json", R"({"items": [{"url": "/no"}]})")), IsEmpty());
  EXPECT_THAT(Links(Run("text/plain", feed)), IsEmpty());
}

// Whatever is in it, also when it is cut anywhere.
TEST_F(ExtractTest, BrokenJsonFeedsAreReadAsFarAsTheyGo) {
  const std::string feed =
      R"({"version":"https://jsonfeed.org/version/1","items":[{"url":"/\u0061"}]})";
  for (size_t cut = 0; cut < feed.size(); ++cut)
    EXPECT_LE(Run("application/feed+json", feed.substr(0, cut)).links.size(), 1u) << cut;
  EXPECT_THAT(Run("application/feed+json", std::string(100'000, '[')).links, IsEmpty());
  EXPECT_THAT(Links(Run("application/feed+json", "]}{\"next_url\":\"/\\ud800\"}")), IsEmpty());
  EXPECT_THAT(
      Links(Run("application/feed+json",
                "{\"feed_url\":\"/feed\",\"next_url\":\"/\\ud800\",\"home_page_url\":\"/\"}")),
      ElementsAre("/feed"))
      << "half a surrogate pair is no JSON";
}

TEST_F(ExtractTest, TextsThatAreListsOfUrlsAreRead) {
  const std::string list =
      "\xEF\xBB\xBFhttp://site.example/1\r\n\n  HTTPS://other.example/2?a=b  "
      "\nhttp://site.example/3";
  for (const char* type : {"text/plain", "text/plain; charset=utf-8", ""}) {
    const Result result = Run(type, list);
    EXPECT_THAT(Links(result), ElementsAre("/1", "https://other.example/2?a=b", "/3")) << type;
    EXPECT_EQ(result.kind, Kind::kText);
  }
  for (const char* text :
       {"", "\n \n", "see http://site.example/1", "http://site.example/1 and more",
        "http://site.example/1\n\nThat was the first one.", "/1\n/2", "ftp://site.example/1"}) {
    EXPECT_THAT(Links(Run("text/plain", text)), IsEmpty()) << text;
  }
  EXPECT_THAT(Links(Run("application/octet-stream", list)), IsEmpty());
  Limits limits;
  limits.links_max = 2;
  EXPECT_TRUE(Run("text/plain", list, limits).truncated);
}

TEST_F(ExtractTest, LinksOfTheHeaderCountWhateverTheBodyIs) {
  link_header_ =
      "</wp-json/>; rel=\"https://api.w.org/\", <2>; rel=next,<3> ; title=\"a, <no>; \\\" b\"; "
      "REL=\"prev start\" , <4>; rel=canonical; rel=icon,,<no2>; rel=next; anchor=\"#x\", "
      "<5>; rel=alternate; type=\"text/html\", <no3>; rel=alternate; type=application/json, "
      "<no4>; rel=\"nofollow next\", <no5>";
  refresh_header_ = "0; url=6";
  const Result result = Run("image/png", "\x89PNG");
  EXPECT_THAT(Links(result), ElementsAre("/dir/2", "/dir/3", "/dir/4", "/dir/5", "/dir/6"));
  EXPECT_EQ(result.nofollowed, 1u);
  EXPECT_THAT(Links(Run("text/html", "<base href=/other/><a href=2></a>")),
              ElementsAre("/dir/2", "/dir/3", "/dir/4", "/dir/5", "/dir/6", "/other/2"));
}

TEST_F(ExtractTest, LinksOfTheHeaderThatAreNotUtf8KeepTheirBytes) {
  link_header_ = "</caf\xe9>; rel=next, </caf\xc3\xa9>; rel=prev";
  refresh_header_ = "0; url=/\xe9t\xe9";
  EXPECT_THAT(Links(Run("text/html", "")), ElementsAre("/caf%E9", "/caf%C3%A9", "/%E9t%E9"));
}

TEST_F(ExtractTest, AHeaderOfGarbageIsNoLink) {
  for (const char* header : {"", "<", "<>", "<a", "a>; rel=next", "<a>; rel", "<a>; rel=\"next",
                             "<a>;;;rel=next", ",,,;<", "<a> rel=next", "<a>;rel=\"\\"}) {
    link_header_ = header;
    EXPECT_LE(Run("text/plain", "").links.size(), 1u) << header;
  }
}

// A browser asks for the query in the document's encoding, for the path in UTF-8.
TEST_F(ExtractTest, QueriesAreInTheEncodingOfTheDocument) {
  const std::string sjis = "<a href='/\x93\xfa?q=\x93\xfa\x96\x7b&a= b#\x93\xfa'></a>";
  EXPECT_THAT(Links(Run("text/html; charset=shift_jis", sjis)),
              ElementsAre("/%E6%97%A5?q=%93%FA%96{&a=%20b"));
  EXPECT_THAT(Links(Run("text/html; charset=windows-1252", "<a href='?q=\xe9&x=&#x65e5;'></a>")),
              ElementsAre("/dir/page.html?q=%E9&x=%26%2326085%3B"));
  EXPECT_THAT(Links(Run("text/html; charset=iso-2022-jp", "<a href='?q=&#x65e5;&#x672c;x'></a>")),
              ElementsAre("/dir/page.html?q=%1B$BF|K\\%1B(Bx"));
  EXPECT_THAT(Links(Run("text/html; charset=gbk", "<a href='?\xc4\xe3'></a>")),
              ElementsAre("/dir/page.html?%C4%E3"));
  EXPECT_THAT(Links(Run("text/html; charset=utf-8", "<a href='?\xc3\xa9'></a>")),
              ElementsAre("/dir/page.html?%C3%A9"));
  EXPECT_THAT(Links(Run("text/html; charset=iso-8859-16", "<a href='/\xaa?\xaa#&x=&#x65e5;'></a>")),
              ElementsAre("/%C8%98?%AA"));
  EXPECT_THAT(Links(Run("text/html; charset=iso-8859-16", "<a href='?\xfe&x=&#x65e5;'></a>")),
              ElementsAre("/dir/page.html?%FE&x=%26%2326085%3B"));
  EXPECT_THAT(Links(Run("text/html; charset=utf-16le",
                        std::string("<\0a\0 \0h\0r\0e\0f\0=\0?\0\xe9\0>\0", 22))),
              ElementsAre("/dir/page.html?%C3%A9"));
}

}  // namespace
}  // namespace opic::links
