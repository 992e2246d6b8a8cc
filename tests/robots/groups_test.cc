// Which group of a robots.txt speaks to us: RFC 9309 sections 2.1, 2.2.1 and 2.2.4.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "robots/robots.h"

namespace opic::robots {
namespace {

using ::testing::ElementsAre;

bool Allowed(std::string_view body, std::string_view path) {
  return Robots::Parse(body, "opic").Allows(path);
}

// Section 2.1: the rules of a group hold for each of its user-agent lines.
TEST(GroupsTest, SeveralUserAgentLinesShareTheRulesBelow) {
  constexpr std::string_view kBody = "User-agent: other\nUser-agent: opic\nDisallow: /a\n";
  EXPECT_FALSE(Allowed(kBody, "/a"));
  EXPECT_FALSE(Robots::Parse(kBody, "other").Allows("/a"));
  EXPECT_TRUE(Robots::Parse(kBody, "third").Allows("/a"));
}

// Section 2.1: a user-agent line after a rule opens a new group.
TEST(GroupsTest, UserAgentLineAfterARuleOpensANewGroup) {
  constexpr std::string_view kBody =
      "user-agent: opic\ndisallow: /a\nuser-agent: other\ndisallow: /b\n";
  EXPECT_FALSE(Allowed(kBody, "/a"));
  EXPECT_TRUE(Allowed(kBody, "/b"));
}

// Section 2.2.1: the product token is matched without regard to case.
TEST(GroupsTest, ProductTokenMatchesInAnyCase) {
  EXPECT_FALSE(Allowed("User-Agent: OPIC\nDisallow: /", "/a"));
  EXPECT_FALSE(Robots::Parse("User-Agent: opic\nDisallow: /", "Opic").Allows("/a"));
}

// Section 2.2.1: groups for the same token are combined into one, wherever they stand.
TEST(GroupsTest, GroupsOfTheSameTokenAreCombined) {
  constexpr std::string_view kBody =
      "user-agent: opic\ndisallow: /a\n\n"
      "user-agent: other\ndisallow: /b\n\n"
      "user-agent: Opic\ndisallow: /c\n";
  EXPECT_FALSE(Allowed(kBody, "/a"));
  EXPECT_TRUE(Allowed(kBody, "/b"));
  EXPECT_FALSE(Allowed(kBody, "/c"));
}

// Section 2.2.1: without a group of its own a crawler obeys "*", again combined.
TEST(GroupsTest, StarGroupsSpeakToWhoIsNotNamed) {
  constexpr std::string_view kBody =
      "user-agent: *\ndisallow: /a\nuser-agent: other\ndisallow: /b\nuser-agent: *\ndisallow: /c\n";
  EXPECT_FALSE(Allowed(kBody, "/a"));
  EXPECT_TRUE(Allowed(kBody, "/b"));
  EXPECT_FALSE(Allowed(kBody, "/c"));
}

// Section 2.2.1: "*" is a fallback only, also when it comes first.
TEST(GroupsTest, OwnGroupReplacesTheStarGroup) {
  constexpr std::string_view kBody = "user-agent: *\ndisallow: /\nuser-agent: opic\ndisallow: /b\n";
  EXPECT_TRUE(Allowed(kBody, "/a"));
  EXPECT_FALSE(Allowed(kBody, "/b"));
}

// Section 2.2.1: no matching group at all, no rules.
TEST(GroupsTest, WithoutMatchingGroupEverythingIsAllowed) {
  EXPECT_TRUE(Allowed("user-agent: other\ndisallow: /\n", "/a"));
  EXPECT_TRUE(Allowed("", "/a"));
}

// Section 2.1: a group may have no rules; it still is the group that matches.
TEST(GroupsTest, EmptyOwnGroupAllowsEverything) {
  EXPECT_TRUE(Allowed("user-agent: *\ndisallow: /\n\nuser-agent: opic\n", "/a"));
}

TEST(GroupsTest, RulesBeforeAnyUserAgentLineAreIgnored) {
  EXPECT_TRUE(Allowed("disallow: /\nuser-agent: opic\nallow: /b\n", "/a"));
}

// Section 2.2.1: what follows the token ("opic/1.0 (crawler)") is no part of it.
TEST(GroupsTest, VersionAfterTheTokenIsIgnored) {
  EXPECT_FALSE(Allowed("user-agent: opic/1.0 (crawler)\ndisallow: /\n", "/a"));
  EXPECT_FALSE(Robots::Parse("user-agent: opic\ndisallow: /", "opic/2.0").Allows("/a"));
}

// Section 2.2.1: the whole token counts, not a part of it.
TEST(GroupsTest, LongerAndShorterTokensAreOthers) {
  EXPECT_TRUE(Allowed("user-agent: opic2\ndisallow: /\n", "/a"));
  EXPECT_TRUE(Allowed("user-agent: opic-images\ndisallow: /\n", "/a"));
  EXPECT_TRUE(Allowed("user-agent: op\ndisallow: /\n", "/a"));
  EXPECT_TRUE(Allowed("user-agent: *opic\ndisallow: /\n", "/a"));
}

// Section 2.2.4: other records must not interfere; no blank line, comment or unknown key ends a
// group.
TEST(GroupsTest, OtherRecordsDoNotSplitAGroup) {
  EXPECT_FALSE(
      Allowed("user-agent: opic\nsitemap: http://h/s\n\n# note\nhost: h\ncrawl-delay: 1\n"
              "user-agent: other\nclean-param: x\ndisallow: /a\n",
              "/a"));
}

// Section 2.2.4: Sitemap belongs to no group.
TEST(GroupsTest, SitemapsAreKeptOfAllGroupsAndOutside) {
  const Robots robots = Robots::Parse(
      "sitemap: http://h/1\nuser-agent: other\nSITEMAP: http://h/2 # two\ndisallow: /\n"
      "Sitemap: /3\nSitemap:\n",
      "opic");
  EXPECT_THAT(robots.sitemaps(), ElementsAre("http://h/1", "http://h/2", "/3"));
}

// The spellings and numbers that real files have: up to 1,293 in one of 4,092.
TEST(GroupsTest, SitemapsAreReadWithoutAColonAndWithoutABoundInNumber) {
  const Robots robots = Robots::Parse(
      "sitemap http://h/1\nSitemap\thttps://h/2 # two\nsite map: http://h/3\n"
      "the sitemap http://h/4\nsitemap http://h/5 http://h/6\n",
      "opic");
  EXPECT_THAT(robots.sitemaps(), ElementsAre("http://h/1", "https://h/2", "http://h/3"));
  std::string body;
  for (int i = 0; i < 5000; ++i) body += "sitemap: http://h/\n";
  EXPECT_EQ(Robots::Parse(body, "opic").sitemaps().size(), 5000u);
}

TEST(GroupsTest, ARuleWithoutItsColonIsReadThoughItsPathHasOne) {
  EXPECT_FALSE(Allowed("user-agent: *\ndisallow /a:b\n", "/a:b"));
}

class CrawlDelayTest : public testing::Test {
 protected:
  static std::optional<absl::Duration> DelayOf(std::string_view value) {
    return Robots::Parse("user-agent: opic\ncrawl-delay: " + std::string(value), "opic")
        .crawl_delay();
  }
};

TEST_F(CrawlDelayTest, IsInSecondsAndMayHaveAFraction) {
  EXPECT_EQ(DelayOf("10"), absl::Seconds(10));
  EXPECT_EQ(DelayOf("0.25"), absl::Milliseconds(250));
  EXPECT_EQ(DelayOf("0"), absl::ZeroDuration());
}

TEST_F(CrawlDelayTest, WhatIsNoPlainNumberIsIgnored) {
  for (const char* value :
       {"", "-1", "ten", "1e3", "inf", "nan", "1.2.3", "0x10", "10s", ".", "1,5"}) {
    EXPECT_EQ(DelayOf(value), std::nullopt) << value;
  }
}

TEST_F(CrawlDelayTest, IsCutToItsMaximum) {
  EXPECT_EQ(DelayOf("3601"), kCrawlDelayMax);
  EXPECT_EQ(DelayOf(std::string(400, '9')), kCrawlDelayMax);
}

TEST_F(CrawlDelayTest, IsThatOfOurGroup) {
  constexpr std::string_view kBody =
      "user-agent: *\ncrawl-delay: 5\nuser-agent: opic\ndisallow: /a\n";
  EXPECT_EQ(Robots::Parse(kBody, "opic").crawl_delay(), std::nullopt);
  EXPECT_EQ(Robots::Parse(kBody, "other").crawl_delay(), absl::Seconds(5));
}

TEST_F(CrawlDelayTest, LongestOfSeveralCounts) {
  EXPECT_EQ(DelayOf("2\ncrawl-delay: 7\ncrawl-delay: 3\ncrawl-delay: x"), absl::Seconds(7));
}

}  // namespace
}  // namespace opic::robots
