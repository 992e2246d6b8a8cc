#include "node/page_form.h"

#include <gtest/gtest.h>

namespace opic::node {
namespace {

// Only XML and feeds are wanted, feeds half as much.
constexpr refresh::Factors kWanted = {0, 1, 0.5, 0, 0, 0};

schedule::PageForm Form(const std::string& url) { return FormOf(*url::Parse(url), kWanted); }
// How many of the forms, from the most general one on, two pages share.
size_t Shared(const std::string& one, const std::string& other) {
  size_t shared = 0;
  for (size_t i = 0; i < schedule::PageForm::kLevels; ++i)
    shared += Form(one).keys[i] == Form(other).keys[i];
  return shared;
}

TEST(PageFormTest, AnEndingIsExpectedToTellTheTruthMostTimes) {
  EXPECT_DOUBLE_EQ(Form("http://a.test/b.xml").expected, 0.9);
  EXPECT_DOUBLE_EQ(Form("http://a.test/b.rss").expected, 0.45);
  EXPECT_DOUBLE_EQ(Form("http://a.test/b.html").expected, schedule::Interest::kExpected);
  EXPECT_DOUBLE_EQ(Form("http://a.test/xml/").expected, schedule::Interest::kExpected);
}

TEST(PageFormTest, PagesOfADirectoryWithAnEndingAreAlike) {
  const std::string page = "http://a.test/docs/one.html";
  EXPECT_EQ(Shared(page, "http://a.test/docs/two.html?q=1"), 4u);
  EXPECT_EQ(Shared(page, "http://a.test/other/two.HTML"), 3u) << "host and ending";
  EXPECT_EQ(Shared(page, "http://a.test/docs/two.xml"), 1u) << "the host alone";
  EXPECT_EQ(Shared(page, "http://b.test/docs/two.html"), 1u) << "the ending alone";
  EXPECT_EQ(Shared(page, "http://b.test/docs/two"), 0u);
}

TEST(PageFormTest, DatesAndNumbersInDirectoriesAreAlike) {
  EXPECT_EQ(Shared("http://a.test/2024/05/one.html", "http://a.test/1999/12/two.html"), 4u);
  EXPECT_EQ(Shared("http://a.test/v1/one.html", "http://a.test/v27/two.html"), 4u);
  EXPECT_EQ(Shared("http://a.test/v1/one.html", "http://a.test/w1/two.html"), 3u);
}

TEST(PageFormTest, AShortWordIsAnEndingToo) {
  EXPECT_EQ(Shared("http://a.test/one-post/feed/", "http://b.test/another/feed/"), 1u);
  EXPECT_EQ(Shared("http://a.test/one-post/feed/", "http://a.test/another/"), 1u);
  EXPECT_EQ(Shared("http://a.test/a-long-title/", "http://b.test/2024/"), 1u) << "both say nothing";
  EXPECT_EQ(Shared("http://a.test/", "http://a.test/a-long-title"), 4u);
}

}  // namespace
}  // namespace opic::node
