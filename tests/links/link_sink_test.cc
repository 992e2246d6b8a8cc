#include "links/link_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/rng.h"

namespace opic::links {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LinkSinkTest : public testing::Test {
 protected:
  static Limits FourLinks() {
    Limits limits;
    limits.links_max = 4;
    return limits;
  }
  std::vector<std::string> Links() const {
    std::vector<std::string> links;
    for (const url::Url& link : result_.links) links.push_back(link.text());
    return links;
  }

  const url::Url here_ = *url::Parse("http://h/d/page?q");
  const Limits limits_ = FourLinks();
  Result result_;
  LinkSink sink_{here_, limits_, result_};
};

TEST_F(LinkSinkTest, LinksAreResolvedAndDistinctInDocumentOrder) {
  for (const char* href : {"b", "/a", "../a", "http://h/d/b", "b#x"}) sink_.Add(href);
  EXPECT_THAT(Links(), ElementsAre("http://h/d/b", "http://h/a"));
}

TEST_F(LinkSinkTest, TheDocumentItselfIsNoLink) {
  for (const char* href : {"", "#top", "page?q", "http://H:80/d/page?q#x"}) sink_.Add(href);
  EXPECT_THAT(Links(), IsEmpty());
  EXPECT_EQ(result_.rejected, 0u);
}

TEST_F(LinkSinkTest, WhatIsNoWebAddressIsCountedAsRejected) {
  for (const char* href : {"mailto:a@b", "javascript:x()", "http://"}) sink_.Add(href);
  EXPECT_THAT(Links(), IsEmpty());
  EXPECT_EQ(result_.rejected, 3u);
}

TEST_F(LinkSinkTest, WhyItIsNoLinkIsCounted) {
  for (const std::string& href :
       {std::string("tel:1"), std::string("http://[x/"), "/" + std::string(url::kUrlBytesMax, 'x')})
    sink_.Add(href);
  EXPECT_EQ(result_.rejected, 3u);
  EXPECT_EQ(result_.other_scheme, 1u);
  EXPECT_EQ(result_.too_long, 1u);
}

TEST_F(LinkSinkTest, ALongBaseMakesNoMoreBytesThanThePageMayHave) {
  Limits many;
  LinkSink sink(here_, many, result_);
  sink.BoundBytes(500'000);
  sink.SetBase("/" + std::string(1980, 'x') + "/");
  for (int i = 0; i < 50'000; ++i) sink.Add(std::to_string(i));
  size_t bytes = 0;
  for (const url::Url& link : result_.links) bytes += link.text().size();
  EXPECT_LE(bytes, LinkSink::kLinkBytesFree + 500'000 * LinkSink::kLinkBytesPerByte);
  EXPECT_GT(bytes, 2'000'000u);
  EXPECT_TRUE(result_.truncated);
}

TEST_F(LinkSinkTest, NofollowIsOnlyCounted) {
  sink_.AddNofollow("/a");
  sink_.Add("/a");
  EXPECT_THAT(Links(), ElementsAre("http://h/a"));
  EXPECT_EQ(result_.nofollowed, 1u);
}

TEST_F(LinkSinkTest, BaseIsResolvedAgainstTheDocument) {
  sink_.SetBase("/x/");
  sink_.SetBase("y/");
  sink_.Add("1");
  EXPECT_THAT(Links(), ElementsAre("http://h/d/y/1"));
}

TEST_F(LinkSinkTest, UnusableBaseLeavesTheOldOne) {
  sink_.SetBase("/x/");
  sink_.SetBase("data:text/plain,a");
  sink_.Add("1");
  EXPECT_THAT(Links(), ElementsAre("http://h/x/1"));
}

TEST_F(LinkSinkTest, ItTellsWhereTheDocumentLinksItself) {
  sink_.Add("1");
  for (const char* href : {"", " ", "#top", "\n#top"}) sink_.Add(href);
  EXPECT_FALSE(result_.own_link);
  sink_.Add("2");
  sink_.Add(here_.text());
  EXPECT_EQ(result_.own_link, 2u);
  sink_.Add("3");
  sink_.Add(here_.text());
  EXPECT_EQ(result_.own_link, 2u);
  EXPECT_EQ(result_.links.size(), 3u);
}

TEST_F(LinkSinkTest, DistinctLinkBeyondTheLimitTruncates) {
  for (const char* href : {"1", "2", "3", "4", "4", "1"}) sink_.Add(href);
  EXPECT_FALSE(sink_.full());
  sink_.Add("5");
  EXPECT_TRUE(sink_.full());
  EXPECT_EQ(result_.links.size(), 4u);
}

// A megabyte of "<a href=x>" behind a base of two kilobytes must not cost gigabytes of resolving.
TEST_F(LinkSinkTest, RepeatedLinksAreBoundedToo) {
  for (size_t i = 0; i < limits_.links_max * LinkSink::kHrefsPerLink; ++i) sink_.Add("same");
  EXPECT_FALSE(sink_.full());
  sink_.Add("other");
  EXPECT_TRUE(sink_.full());
  EXPECT_THAT(Links(), ElementsAre("http://h/d/same"));
}

// For as many as such a body is likely to have there is room from the start.
TEST(LinkSinkOfManyLinks, EachIsFoundOnceHoweverManyWereLikely) {
  constexpr size_t kLinks = 3000;  // more than hrefs that it remembers
  const url::Url here = *url::Parse("http://h/0");
  for (const size_t body_bytes : {size_t{0}, size_t{1}, size_t{20'000}, size_t{1} << 30}) {
    SCOPED_TRACE(body_bytes);
    const Limits limits;
    Result result;
    LinkSink sink(here, limits, result);
    sink.BoundBytes(body_bytes);
    for (int round = 0; round < 3; ++round) {
      for (size_t i = 0; i <= kLinks; ++i) sink.Add(std::to_string(i));
    }
    ASSERT_EQ(result.links.size(), kLinks);
    for (size_t i = 0; i < kLinks; ++i)
      EXPECT_EQ(result.links[i].text(), "http://h/" + std::to_string(i + 1));
    EXPECT_FALSE(sink.full());
  }
}

// What the sink remembers of hrefs spares it to resolve them; it finds what resolving each would.
TEST(LinkSinkOfManyHrefs, FindsWhatEachHrefAloneResolvesTo) {
  static constexpr std::string_view kPieces[] = {"a",  "b",    "/",        "#", "#x", " ",
                                                 "\t", "\n",   "..",       "?", "%",  ":",
                                                 "\\", "\xE2", "\xC3\xA9", "x:"};
  base::Rng rng(5);
  const url::Url here = *url::Parse("http://h/a/b");
  size_t found = 0;
  for (int round = 0; round < 3000; ++round) {
    const Limits limits;
    Result result;
    LinkSink sink(here, limits, result);
    url::Url base = here;
    std::vector<std::string> wanted;
    uint32_t rejected = 0;
    for (int i = 0; i < 40; ++i) {
      std::string href;
      for (uint64_t size = rng.Below(5); size > 0; --size)
        href += kPieces[rng.Below(std::size(kPieces))];
      if (rng.Below(40) == 0) {
        sink.SetBase(href);
        if (const auto parsed = url::Parse(href, &here)) base = *parsed;
        continue;
      }
      sink.Add(href);
      const auto link = url::Parse(href, &base);
      if (!link) {
        ++rejected;
      } else if (!(*link == here) &&
                 std::find(wanted.begin(), wanted.end(), link->text()) == wanted.end()) {
        wanted.push_back(link->text());
      }
    }
    std::vector<std::string> links;
    for (const url::Url& link : result.links) links.push_back(link.text());
    ASSERT_EQ(links, wanted);
    ASSERT_EQ(result.rejected, rejected);
    found += links.size();
  }
  EXPECT_GT(found, 30'000u);
}

}  // namespace
}  // namespace opic::links
