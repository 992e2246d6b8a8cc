#include "desk/sitemap_url.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace opic::desk
