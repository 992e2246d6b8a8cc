// One walk over a page finds the links and the text that two walks find.
#include <gtest/gtest.h>

#include <string>

#include "base/rng.h"
#include "html_page.h"
#include "tag_soup.h"

namespace opic::links {
namespace {

ReaderText TextOf(std::string_view html) { return ReaderTextOf(html, /*with_sketch=*/true); }

void ExpectBoth(const std::string& html) {
  const OneWalk walk = InOneWalk(html);
  EXPECT_EQ(Links(walk.result), Links(ByScanner(html))) << html;
  EXPECT_EQ(walk.text, TextOf(html)) << html;
}

// The scanner of links knows SVG and MathML, the text does not.
TEST(OneWalkTest, TheWalksPartWhereSvgIsReadDifferently) {
  for (const std::string html :
       {"<svg><![CDATA[ > <h1> x ]]> <a href=i>in</a></svg>after <h2>more</h2>",
        "<svg><title>one <h1 x='</title>'>two<a href=i>in</a></title></svg>after",
        "<svg><style>a <a href=i>in</a></style></svg><p>b",
        "<svg><script>a <a href=i>in</a> b</svg><h1>c</h1>",
        "<math><textarea>a <a href=i>in</a></math><p>b", "<svg/><title>a <a href=i>in</a></title>b",
        "<svg><desc><title>a <a href=i>in</a></title><h1>b</h1></svg>c",
        "<![CDATA[ x > y ]]><svg><h1>a</h1></svg><title>b<i></title>c",
        "<svg><template><a href=no></template><h1>x</h1><title>y <b>z</b></title>"}) {
    ExpectBoth("<h1>Page</h1><a href=before>" + html);
    ExpectBoth("<template><svg></template>" + html + "<a href=behind>");
  }
  // Of what text and links see differently, an example each: both are read by their own rule.
  const OneWalk walk = InOneWalk("<svg><title>a <a href=i>in</a></title></svg>");
  EXPECT_EQ(Links(walk.result), std::vector<std::string>{"/dir/i"});
  EXPECT_EQ(walk.text.bytes, std::string("a <a href=i>in</a> ").size());
}

TEST(OneWalkTest, WhereverAPageEndsBothAreFound) {
  const std::string page =
      "<title>T <b></title><body><h1 class=a>A<em>b</em></h1 x><!-- <a href=c> -->d<a href='e>'>f"
      "</a><template><h2>g</h2><a href=no></template><svg><path d=\"M>\"/><title>h</title></svg>"
      "<script>'<h3>'</script><?x <p> ><h4 y = z>i</h4>< j<//><textarea><a href=no></textarea>k";
  for (size_t size = 0; size <= page.size(); ++size) ExpectBoth(page.substr(0, size));
}

TEST(OneWalkTest, TheTextGoesOnBehindTheLastLinkThatIsKept) {
  const std::string html =
      "<a href=a>a</a><a href=b>b</a><iframe src=c><h1></iframe><h2>d</h2><a href=e><title>f";
  for (size_t links = 0; links < 5; ++links) {
    const OneWalk walk = InOneWalk(html, links);
    EXPECT_LE(walk.result.links.size(), links);
    EXPECT_EQ(walk.text, TextOf(html)) << links;
  }
}

TEST(OneWalkTest, SoMuchForTagSoup) {
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    base::Rng rng(seed);
    ExpectBoth(TagSoup(rng, 400));
  }
}

// With either parser, and whether the links are read along or not.
TEST(OneWalkTest, APageHasOneTextHoweverItIsRead) {
  const url::Url page = PageUrl();
  const std::string html = "<title>A page</title><p>Some <a href=x>text</a><svg><title>b<i></svg>";
  Document document;
  document.body = html;
  document.content_type = "text/html; charset=utf-8";
  document.url = &page;
  const std::vector<std::string> links = Links(Extract(document));
  for (const bool gumbo : {false, true}) {
    Limits limits;
    limits.gumbo = gumbo;
    limits.text_digest = limits.text_sketch = true;
    const Result result = Extract(document, limits);
    EXPECT_EQ(Links(result), links);
    EXPECT_EQ((ReaderText{result.text_digest, result.text_bytes, result.text_sketch}),
              TextOf(html));
  }
}

}  // namespace
}  // namespace opic::links
