#include "sample/answer.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sample/build_web.h"
#include "sample/page_text.h"

namespace opic::sample {
namespace {

using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class AnswerTest : public testing::Test {
 protected:
  Answer Get(const std::string& host, const std::string& target) {
    return AnswerTo(web_, {.host = host, .target = target});
  }
  uint32_t FirstOf(PageKind kind) const {
    uint32_t page = 0;
    while (web_.pages.at(page).kind != kind) ++page;
    return page;
  }
  Answer GetFirstOf(PageKind kind) {
    const uint32_t page = FirstOf(kind);
    return Get(web_.SiteOf(page).host, web_.pages[page].target);
  }
  static std::string Header(const Answer& answer, const std::string& name) {
    for (const auto& [key, value] : answer.headers) {
      if (key == name) return value;
    }
    return "";
  }

  const Web web_ = *BuildWeb({});
};

TEST_F(AnswerTest, KnowsHostsWhateverTheirCaseAndPort) {
  EXPECT_EQ(Get("site03.sample.test", "/").status, 200);
  EXPECT_EQ(Get("SITE03.Sample.test:8080", "/").status, 200);
  EXPECT_EQ(Get("site3.sample.test", "/").status, 404);
  EXPECT_EQ(Get("", "/").status, 404);
}

TEST_F(AnswerTest, TakesTheHostOfAnAbsoluteUrl) {
  EXPECT_EQ(Get("proxy.test", "http://site03.sample.test/").status, 200);
  EXPECT_EQ(Get("proxy.test", "HTTP://site03.sample.test:80").status, 200);
  EXPECT_EQ(Get("site03.sample.test", "http://nowhere.test/").status, 404);
}

TEST_F(AnswerTest, ServesHtmlOfSomeKilobytesWithTheMeanInBetween) {
  size_t bytes = 0, pages = 0;
  for (uint32_t page = 0; page < 500; ++page) {
    if (web_.pages[page].kind != PageKind::kHtml) continue;
    bytes += HtmlText(web_, page, FirstState(web_, page)).size();
    ++pages;
  }
  EXPECT_GT(bytes / pages, 2'000u);
  EXPECT_LT(bytes / pages, 10'000u);
}

TEST_F(AnswerTest, DeclaresTheCharsetOfEachPage) {
  int latin1 = 0;
  for (uint32_t page = 0; page < web_.pages.size(); ++page) {
    if (web_.pages[page].kind != PageKind::kHtml) continue;
    const Answer answer = Get(web_.SiteOf(page).host, web_.pages[page].target);
    const bool declared = Header(answer, "Content-Type") == "text/html; charset=ISO-8859-1";
    latin1 += declared;
    // e acute: one byte in Latin-1, two in UTF-8 (and 0xE9 is in neither of those).
    EXPECT_THAT(answer.body, Not(HasSubstr(declared ? "\xC3" : "\xE9"))) << web_.UrlOf(page);
  }
  EXPECT_GT(latin1, 100);
}

TEST_F(AnswerTest, RedirectsToTheOneLinkOfThePage) {
  const uint32_t page = FirstOf(PageKind::kRedirect), to = web_.links.LinksOf(page)[0];
  const Answer answer = GetFirstOf(PageKind::kRedirect);
  EXPECT_THAT(answer.status, AnyOf(301, 302));
  EXPECT_THAT(web_.UrlOf(to), EndsWith(Header(answer, "Location")));
}

TEST_F(AnswerTest, HasNothingWhereAPageIsDeadOrUnknown) {
  EXPECT_EQ(GetFirstOf(PageKind::kDead).status, 404);
  EXPECT_EQ(Get("site00.sample.test", "/trap/comment.html").status, 404);
  EXPECT_EQ(Get("site00.sample.test", "").status, 404);
}

TEST_F(AnswerTest, DoesNotEnforceItsRobotsTxt) {
  const Answer answer = GetFirstOf(PageKind::kForbidden);
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.body, HasSubstr("<h1>"));
}

TEST_F(AnswerTest, GivesSitesDifferentRobotsTxt) {
  EXPECT_THAT(Get("site00.sample.test", "/robots.txt").body,
              HasSubstr("User-agent: *\nDisallow: /private/\n\n"
                        "Sitemap: http://site00.sample.test/sitemap.xml\n"));
  EXPECT_EQ(Get("site01.sample.test", "/robots.txt").status, 404);
  EXPECT_THAT(Get("site02.sample.test", "/robots.txt").body, HasSubstr("Crawl-delay: 0.05\n"));
  EXPECT_EQ(Get("nowhere.test", "/robots.txt").status, 404);
}

TEST_F(AnswerTest, ServesFeedAndSitemapAsXml) {
  const Answer feed = GetFirstOf(PageKind::kFeed), sitemap = GetFirstOf(PageKind::kSitemap);
  EXPECT_EQ(Header(feed, "Content-Type"), "application/atom+xml; charset=utf-8");
  EXPECT_THAT(feed.body, HasSubstr("<feed xmlns=\"http://www.w3.org/2005/Atom\">"));
  EXPECT_EQ(Header(sitemap, "Content-Type"), "application/xml; charset=utf-8");
  EXPECT_THAT(sitemap.body, HasSubstr("<loc>http://site00.sample.test/</loc>"));
}

TEST_F(AnswerTest, ListsInTheSitemapOnlyWhatAnHtmlPageLinksTo) {
  const uint32_t sitemap = FirstOf(PageKind::kSitemap);
  const graph::Graph reversed = web_.links.Reversed();
  for (const uint32_t page : web_.links.LinksOf(sitemap)) {
    bool linked = false;
    for (const uint32_t from : reversed.LinksOf(page)) {
      linked |= web_.pages[from].kind == PageKind::kHtml;
    }
    EXPECT_TRUE(linked) << web_.UrlOf(page);
  }
}

TEST_F(AnswerTest, IsNotModifiedForTheEntityTagItGave) {
  const std::string tag = Header(Get("site00.sample.test", "/"), "ETag");
  Request request = {.host = "site00.sample.test", .target = "/"};
  for (const std::string& known : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
    request.if_none_match = known;
    const Answer answer = AnswerTo(web_, request);
    EXPECT_EQ(answer.status, 304) << known;
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(Header(answer, "ETag"), tag);
  }
  request.if_none_match = "\"x\"";
  EXPECT_EQ(AnswerTo(web_, request).status, 200);
}

TEST_F(AnswerTest, IsNotModifiedSinceItsDate) {
  Request request = {.host = "site00.sample.test", .target = "/"};
  request.if_modified_since = Header(AnswerTo(web_, request), "Last-Modified");
  EXPECT_EQ(AnswerTo(web_, request).status, 304);
  request.if_none_match = "\"x\"";  // RFC 9110 section 13.2.2: then the date does not count
  EXPECT_EQ(AnswerTo(web_, request).status, 200);
  request.if_none_match = "";
  request.if_modified_since = "Sat, 01 Jan 2022 00:00:00 GMT";
  EXPECT_EQ(AnswerTo(web_, request).status, 200);
  request.if_modified_since = "yesterday";
  EXPECT_EQ(AnswerTo(web_, request).status, 200);
}

TEST_F(AnswerTest, AllowsOnlyReading) {
  const Answer answer =
      AnswerTo(web_, {.method = "POST", .host = "site00.sample.test", .target = "/"});
  EXPECT_EQ(answer.status, 405);
  EXPECT_EQ(Header(answer, "Allow"), "GET, HEAD");
}

}  // namespace
}  // namespace opic::sample
