#include "sample/href.h"

#include "gtest/gtest.h"
#include "sample/build_web.h"
#include "tests/sample/naive_crawl.h"

namespace opic::sample {
namespace {

TEST(RelativeReference, GoesUpAndDownTheFolders) {
  EXPECT_EQ(RelativeReference("/p/1.html", "/p/2.html"), "2.html");
  EXPECT_EQ(RelativeReference("/p/archive/1.html", "/docs/3.html"), "../../docs/3.html");
  EXPECT_EQ(RelativeReference("/p/1.html", "/p/archive/2.html"), "archive/2.html");
  EXPECT_EQ(RelativeReference("/", "/p/1.html"), "p/1.html");
  EXPECT_EQ(RelativeReference("/page/1.html", "/p/1.html"), "../p/1.html");
}

TEST(RelativeReference, IsNeverEmpty) {
  EXPECT_EQ(RelativeReference("/find?page=1", "/"), "./");
  EXPECT_EQ(RelativeReference("/p/1.html", "/"), "../");
  EXPECT_EQ(RelativeReference("/p/1.html", "/p/?page=1"), "./?page=1");
}

TEST(RelativeReference, LooksForFoldersInThePathOnly) {
  EXPECT_EQ(RelativeReference("/find?in=/p/", "/p/1.html"), "p/1.html");
  EXPECT_EQ(RelativeReference("/p/1.html", "/find?in=/p/"), "../find?in=/p/");
}

TEST(Href, ResolvesToItsPageInEveryForm) {
  const Web web = *BuildWeb({.pages = 300, .hosts = 3});
  base::Rng rng(3);
  for (const graph::Edge edge : web.links.Edges()) {
    const std::string href = Href(web, edge.from, edge.to, rng);
    ASSERT_EQ(Resolve(web.UrlOf(edge.from), href), web.UrlOf(edge.to)) << href;
  }
}

TEST(Escaped, LeavesNothingThatEndsAnAttribute) {
  EXPECT_EQ(Escaped("a&b<c>\"d'"), "a&amp;b&lt;c&gt;&quot;d&#39;");
}

}  // namespace
}  // namespace opic::sample
