// Which pages say nearly the same, and what the order desk tells of it.
#include "desk/near_text.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "desk/duplicate.h"
#include "refresh/content_hash.h"
#include "tests/desk/order_desk_fixture.h"

namespace opic::desk {
namespace {

// Some 160 words, none like another.
std::string PageText(const std::string& about = "nothing") {
  std::string text = "<title>Words</title><p>About " + about + ".";
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
  const ContentLinks content_links(url, found);
  return NearTextOf(url, found, content_links, ContentHashOf(found, content_links), left_out);
}

enum class Alike { kNo, kSimilar, kNearDuplicates };

Alike Compared(const std::string& one, const std::string& other) {
  const auto a = TextAt(kAddress, one), b = TextAt("http://a.test/other", other);
  EXPECT_TRUE(a && b);
  if (!a || !b) return Alike::kNo;
  EXPECT_EQ(AreNearDuplicates(*a, *b), AreNearDuplicates(*b, *a));
  EXPECT_EQ(AreSimilar(*a, *b), AreSimilar(*b, *a));
  if (AreNearDuplicates(*a, *b)) return Alike::kNearDuplicates;
  return AreSimilar(*a, *b) ? Alike::kSimilar : Alike::kNo;
}

bool SayNearlyTheSame(const std::string& one, const std::string& other) {
  return Compared(one, other) != Alike::kNo;
}

TEST(NearTextTest, ADateACounterOrATokenIsNoDifference) {
  const std::string page = PageText() + kTwoLinks;
  EXPECT_EQ(Compared(page, page), Alike::kNearDuplicates);
  EXPECT_EQ(Compared("On Monday 5 May 2025" + page, "On Tuesday 6 June 2025" + page),
            Alike::kNearDuplicates);
  EXPECT_EQ(Compared("1,023 readers" + page, "7 readers" + page), Alike::kNearDuplicates);
  EXPECT_EQ(Compared("Updated" + page, "Updated 3rd, 12:30" + page), Alike::kNearDuplicates);
  EXPECT_EQ(Compared(page + "id 0123456789abcdef", page + "id fedcba9876543210"),
            Alike::kNearDuplicates);
}

TEST(NearTextTest, AFewWordsAreOne) {
  const std::string page = PageText() + kTwoLinks;
  EXPECT_EQ(Compared(page, page + "<p>Buy soap!"), Alike::kSimilar);
  EXPECT_EQ(Compared(page + "x is 2", page + "y is 3"), Alike::kSimilar);
  EXPECT_EQ(Compared(page + "v1", page + "v2"), Alike::kSimilar);
}

// A page is about what its title and headings say.
TEST(NearTextTest, ANumberInATitleOrHeadingIsOne) {
  const std::string page = PageText() + kTwoLinks;
  for (const std::string name : {"title", "h1", "H2", "h6"}) {
    const auto named = [&](int number) {
      return "<" + name + ">Chapter " + std::to_string(number) + "</" + name + ">" + page;
    };
    EXPECT_EQ(Compared(named(7), named(8)), Alike::kSimilar) << name;
    EXPECT_EQ(Compared(named(7) + "9", named(7) + "10"), Alike::kNearDuplicates) << name;
  }
  EXPECT_EQ(Compared("<h1><a href=/>Chapter</a> 7</h1>" + page,
                     "<h1><a href=/>Chapter</a> 8</h1>" + page),
            Alike::kSimilar);
  EXPECT_EQ(Compared("<header>Chapter 7</header>" + page, "<header>Chapter 8</header>" + page),
            Alike::kNearDuplicates);
}

TEST(NearTextTest, APageWithoutTitleAndHeadingIsNobodysDuplicate) {
  const std::string page = PageText().substr(PageText().find("<p>")) + kTwoLinks;
  for (const std::string name : {"", "<title> </title>", "<h1></h1>", "<h2><!-- Words --></h2>"})
    EXPECT_EQ(Compared(name + page + " 7", name + page + " 8"), Alike::kSimilar) << name;
  EXPECT_EQ(Compared("<h1>x</h1>" + page + " 7", "<h1>x</h1>" + page + " 8"),
            Alike::kNearDuplicates);
}

// A page of figures is about them.
TEST(NearTextTest, ManyNumbersAreOne) {
  const auto figures = [](int from) {
    std::string text = "<p>";
    for (int figure = from; figure < from + 8; ++figure)
      text += " and " + std::to_string(figure * 97);
    return PageText() + kTwoLinks + text;
  };
  EXPECT_EQ(Compared(figures(0), figures(20)), Alike::kNo);
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
  EXPECT_EQ(Compared(page + "<a href=/3>x</a>", page + "<a href=/4>x</a>"), Alike::kSimilar);
  EXPECT_EQ(Compared(page + "<a href=/3?sid=1>x</a>", page + "<a href=/3?sid=2>x</a>"),
            Alike::kNearDuplicates);
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

// Stores are full of them, and are compared with new ones.
TEST(NearTextTest, ALinkIsInTheParityFourTimesAndInWhatLastsOnce) {
  const url::Url page = *url::Parse(kAddress);
  links::Result found;
  found.links = {*url::Parse("http://a.test/1?sid=1"), *url::Parse("http://b.test/2")};
  found.text_digest = 7;
  found.text_bytes = kDuplicateTextMin;
  found.text_sketch.words = kNearWordsMin;
  found.text_sketch.lasting = 5;
  const std::optional<NearText> text =
      NearTextOf(page, found, ContentLinks(page, found), refresh::HashOfText(7), {});
  ASSERT_TRUE(text);
  links::TextSketch sketch = found.text_sketch;
  for (const std::string link : {"/1", "http://b.test/2"}) {
    for (const uint64_t element : {1, 2, 3, 4}) links::Flip(base::Hash64(link, element), sketch);
    sketch.lasting = base::Hash64(link, sketch.lasting);
  }
  EXPECT_EQ(text->sketch.parity, sketch.parity);
  EXPECT_EQ(text->sketch.lasting, base::Hash64(base::Big64(sketch.lasting), text->site));
}

// Two names of one page, which links to both.
TEST(NearTextTest, APageMayLinkToItself) {
  const std::string page = PageText() + "<a href=/>home</a>" + kTwoLinks + "<a href=/index>x</a>";
  const auto home = TextAt("http://a.test/", page + "7 readers");
  const auto index = TextAt("http://a.test/index", page + "8 readers");
  ASSERT_TRUE(home && index);
  EXPECT_TRUE(AreNearDuplicates(*home, *index));
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
  EXPECT_TRUE(AreNearDuplicates(*text, *TextAt("https://site.test/x", page)));
  const auto other = TextAt("http://other.test/", page);
  EXPECT_FALSE(AreNearDuplicates(*text, *other));
  EXPECT_FALSE(AreSimilar(*text, *other));
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
  const size_t earlier = bytes.size() - 8;  // what an earlier release has kept
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(DecodeNearText(bytes.substr(0, size)).has_value(), size == earlier) << size;
  EXPECT_EQ(DecodeNearText(bytes.substr(0, earlier))->sketch.lasting, 0u);
  EXPECT_FALSE(DecodeNearText(bytes + "x"));
}

}  // namespace
}  // namespace opic::desk
