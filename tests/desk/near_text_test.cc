// Which pages say nearly the same, and what the order desk tells of it.
#include "desk/near_text.h"

#include <gtest/gtest.h>

#include "desk/duplicate.h"
#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

// Some 160 words, none like another.
std::string PageText(const std::string& about = "nothing") {
  std::string text = "<p>About " + about + ".";
  for (int word = 0; word < 160; ++word) text += " word" + std::to_string(word);
  return text + "</p>";
}
constexpr char kAddress[] = "http://a.test/page";
const std::string kTwoLinks = "<a href=/1>one</a><a href=/2>two</a>";

std::optional<NearText> TextAt(const std::string& page, const std::string& html,
                               LeftOut left_out = {}) {
  const url::Url url = *url::Parse(page);
  links::Limits limits;
  limits.text_digest = limits.text_sketch = true;
  links::Document document;
  document.body = html;
  document.content_type = "text/html";
  document.url = &url;
  const links::Result found = links::Extract(document, limits);
  return NearTextOf(url, found, ContentHashOf(url, found), left_out);
}

bool SayNearlyTheSame(const std::string& one, const std::string& other) {
  const auto a = TextAt(kAddress, one), b = TextAt("http://a.test/other", other);
  EXPECT_TRUE(a && b);
  return a && b && AreNear(*a, *b) && AreNear(*b, *a);
}

TEST(NearTextTest, ADateACounterOrATokenIsNoDifference) {
  const std::string page = PageText() + kTwoLinks;
  EXPECT_TRUE(SayNearlyTheSame(page, page));
  EXPECT_TRUE(SayNearlyTheSame("On Monday 5 May 2025" + page, "On Tuesday 6 May 2025" + page));
  EXPECT_TRUE(SayNearlyTheSame("1,023 readers" + page, "7 readers" + page));
  EXPECT_TRUE(SayNearlyTheSame(page + "id 0123456789abcdef", page + "id fedcba9876543210"));
  EXPECT_TRUE(SayNearlyTheSame(page, page + "<p>Buy soap!"));
}

TEST(NearTextTest, AnotherSubjectIsOne) {
  const std::string cats =
      "<title>Cats</title><h1>Cats</h1>" + PageText("cats") + kTwoLinks + "On cats";
  const std::string dogs =
      "<title>Dogs</title><h1>Dogs</h1>" + PageText("dogs") + kTwoLinks + "On dogs";
  EXPECT_FALSE(SayNearlyTheSame(cats, dogs));
  EXPECT_FALSE(SayNearlyTheSame(
      PageText() + kTwoLinks,
      PageText() + kTwoLinks + "<p>A sentence of eleven words that stands on one page only."));
}

// What a page links to is what it is for.
TEST(NearTextTest, ALinkWeighsMoreThanItsWord) {
  const std::string page = PageText() + kTwoLinks;
  EXPECT_TRUE(SayNearlyTheSame(page + "<a href=/3>x</a>", page + "<a href=/4>x</a>"));
  EXPECT_TRUE(SayNearlyTheSame(page + "<a href=/3?sid=1>x</a>", page + "<a href=/3?sid=2>x</a>"));
  const auto list = [](int from) {
    std::string items;
    for (int item = from; item < from + 6; ++item) {
      const std::string name = "item" + std::to_string(item);
      items += "<a href=/" + name + ">" + name + "</a> ";
    }
    return items;
  };
  EXPECT_TRUE(SayNearlyTheSame(page + list(0), page + list(0)));
  EXPECT_FALSE(SayNearlyTheSame(page + list(0), page + list(1))) << "the list has moved on by one";
}

TEST(NearTextTest, OfShortPagesFewerWordsMayDiffer) {
  std::string words;
  for (int word = 0; word < 64; ++word) words += " word" + std::to_string(word);
  EXPECT_TRUE(SayNearlyTheSame(kTwoLinks + "<p>a" + words, kTwoLinks + "<p>b" + words));
  EXPECT_FALSE(SayNearlyTheSame(kTwoLinks + "<p>a" + words, kTwoLinks + "<p>b c" + words));
}

TEST(NearTextTest, OneSiteIsNotComparedWithAnother) {
  const std::string page = PageText() + kTwoLinks;
  const auto text = TextAt("http://www.site.test/", page);
  EXPECT_TRUE(AreNear(*text, *TextAt("https://site.test/x", page)));
  const auto other = TextAt("http://other.test/", page);
  EXPECT_FALSE(AreNear(*text, *other));
  for (size_t band = 0; band < links::TextSketch::kBands; ++band)
    EXPECT_NE(text->sketch.bands[band], other->sketch.bands[band]);
}

TEST(NearTextTest, WhatIsNoDuplicateIsComparedWithNone) {
  EXPECT_TRUE(TextAt(kAddress, PageText() + kTwoLinks));
  EXPECT_FALSE(TextAt(kAddress, PageText())) << "no links";
  EXPECT_FALSE(TextAt(kAddress, std::string(400, 'x') + kTwoLinks)) << "too few words";
  EXPECT_FALSE(TextAt(kAddress, PageText() + kTwoLinks, {.body = true}));
  EXPECT_FALSE(TextAt(kAddress, PageText() + kTwoLinks, {.canonical = true}));
}

class NearTextDeskTest : public OrderDeskTest {
 protected:
  NearTextDeskTest() { options_.links.text_digest = options_.links.text_sketch = true; }
  std::string TextOfVisit(const std::string& html) {
    return VisitAnswered(Answer("200 OK", "Content-Type: text/html\r\n", html)).near_text;
  }
};

TEST_F(NearTextDeskTest, AVisitTellsWhatThePageSays) {
  EXPECT_EQ(TextOfVisit(PageText() + kTwoLinks), Encode(*TextAt(kAddress, PageText() + kTwoLinks)));
  EXPECT_EQ(TextOfVisit("<link rel=canonical href=/whole>" + PageText() + kTwoLinks), "");
}

TEST_F(NearTextDeskTest, SwitchedOffItTellsNothing) {
  options_.near_duplicates = DuplicateUse::kOff;
  EXPECT_EQ(TextOfVisit(PageText() + kTwoLinks), "");
}

TEST(NearTextTest, ItsBytesAreReadBack) {
  const NearText text = *TextAt(kAddress, PageText() + kTwoLinks);
  const std::string bytes = Encode(text);
  EXPECT_EQ(DecodeNearText(bytes), text);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(DecodeNearText(bytes.substr(0, size))) << size;
  EXPECT_FALSE(DecodeNearText(bytes + "x"));
}

}  // namespace
}  // namespace opic::desk
