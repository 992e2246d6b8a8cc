#include "desk/sitemap_url.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace opic::desk {
namespace {

bool Looks(const char* url) { return LooksLikeSitemap(*url::Parse(url)); }

TEST(SitemapUrlTest, ByWordOrByEnding) {
  for (const char* url : {"http://a.test/sitemap.xml", "http://a.test/SiteMaps/1.gz",
                          "http://a.test/map.xml?page=2", "http://a.test/all.XML.gz"})
    EXPECT_TRUE(Looks(url)) << url;
}

TEST(SitemapUrlTest, OtherFilesAreNone) {
  for (const char* url : {"http://sitemap.test/", "http://a.test/x?sitemap.xml",
                          "http://a.test/backup.tar.gz", "http://a.test/xml"})
    EXPECT_FALSE(Looks(url)) << url;
}

TEST(SitemapUrlTest, PackedFilesAreTheirEnding) {
  for (const char* url : {"http://a.test/map.GZ", "http://a.test/backup.tar.gz?x"})
    EXPECT_TRUE(IsPacked(*url::Parse(url))) << url;
  for (const char* url : {"http://a.test/gz", "http://a.test/x?y=.gz", "http://a.test/map.gz/"})
    EXPECT_FALSE(IsPacked(*url::Parse(url))) << url;
}

TEST(SitemapUrlTest, ARobotsTxtNamesItWholeOrFromItsOrigin) {
  const url::Url map = *url::Parse("http://a.test/feeds/map.gz");
  EXPECT_TRUE(IsNamed(map, {"/other.gz", "HTTP://A.test:80/feeds/map.gz"}));
  EXPECT_TRUE(IsNamed(map, {"/feeds/map.gz"}));
  EXPECT_FALSE(IsNamed(map, {}));
  EXPECT_FALSE(IsNamed(map, {"http://b.test/feeds/map.gz", "http://a.test/x/feeds/map.gz",
                             "http://a.test/?/feeds/map.gz", "http://a.test/feeds/map.gz?x"}));
}

TEST(SitemapUrlTest, ARobotsTxtNamesItInAnySpelling) {
  const url::Url map = *url::Parse("http://a.test/donn%C3%A9es%20x.gz");
  for (const std::string named : {"http://a.test/donn\xC3\xA9\x65s x.gz", "donn\xC3\xA9\x65s x.gz",
                                  "/x/../donn%C3%A9es%20x.gz#all"})
    EXPECT_TRUE(IsNamed(map, {named})) << named;
  EXPECT_TRUE(IsNamed(*url::Parse("http://a.test/caf%E9.gz"), {"/caf\xE9.gz"}));
}

// One that a stranger wrote to keep the crawler busy for each of its pages.
TEST(SitemapUrlTest, OfThoseThatMustBeParsedTheFirstAre) {
  const url::Url map = *url::Parse("http://a.test/map.gz");
  std::vector<std::string> sitemaps(1999, "%");
  sitemaps.emplace_back("/map.gz");
  EXPECT_TRUE(IsNamed(map, sitemaps));
  sitemaps.insert(sitemaps.begin(), "%");
  EXPECT_FALSE(IsNamed(map, sitemaps));
  sitemaps.assign(100'000, "http://a.test/other.gz");
  sitemaps.emplace_back("http://a.test/map.gz");
  EXPECT_TRUE(IsNamed(map, sitemaps)) << "the others are told apart by their ends";
}

}  // namespace
}  // namespace opic::desk
