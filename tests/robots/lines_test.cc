// How a robots.txt is cut into lines: RFC 9309 sections 2.2, 2.3 and 2.5.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "robots/robots.h"

namespace opic::robots {
namespace {

bool Forbids(std::string_view body, std::string_view path) {
  return !Robots::Parse(body, "opic").Allows(path);
}

// Section 2.2 (ABNF): EOL is CR, LF or CRLF.
TEST(LinesTest, LinesEndInCrLfOrBoth) {
  for (const std::string eol : {"\n", "\r", "\r\n"}) {
    EXPECT_TRUE(Forbids("user-agent: *" + eol + "disallow: /a" + eol + "disallow: /b", "/b"));
    EXPECT_TRUE(Forbids("user-agent: *" + eol + "disallow: /a" + eol + "disallow: /b", "/a"));
  }
}

// Section 2.3 asks for UTF-8; editors put a byte order mark in front.
TEST(LinesTest, ByteOrderMarkIsSkipped) {
  EXPECT_TRUE(Forbids("\xEF\xBB\xBFuser-agent: *\ndisallow: /a", "/a"));
}

// Section 2.2 (ABNF): "#" begins a comment, on a line of its own or behind a rule.
TEST(LinesTest, CommentsAreCutOff) {
  EXPECT_TRUE(Forbids("# hello\nuser-agent: * # all\ndisallow: /a#b\n", "/a"));
  EXPECT_FALSE(Forbids("user-agent: *\n#disallow: /a\n", "/a"));
}

// Section 2.2 (ABNF): white space around key and value has no meaning.
TEST(LinesTest, BlanksAroundKeyAndValueAreDropped) {
  EXPECT_TRUE(Forbids(" \tuser-agent \t:\t*  \n\tdisallow : /a \t\n", "/a"));
  EXPECT_TRUE(Forbids("user-agent:*\ndisallow:/a", "/a"));
}

TEST(LinesTest, KeysAreWrittenInAnyCase) {
  EXPECT_TRUE(Forbids("USER-AGENT: *\nDisAllow: /a", "/a"));
}

// Section 2.2.2 leaves recovery from malformed lines to the crawler: what others tolerate, we do.
TEST(LinesTest, UsualSlipsInKeysAreUnderstood) {
  for (const std::string agent : {"user agent", "useragent"}) {
    for (const std::string rule : {"dissallow", "dissalow", "disalow", "diasllow", "disallaw"}) {
      EXPECT_TRUE(Forbids(agent + ": *\n" + rule + ": /a", "/a")) << agent << rule;
    }
  }
}

TEST(LinesTest, ForgottenColonIsUnderstoodBetweenTwoWords) {
  EXPECT_TRUE(Forbids("user-agent *\ndisallow /a", "/a"));
  EXPECT_FALSE(Forbids("user-agent *\ndisallow /a please", "/a"));
}

TEST(LinesTest, UnknownLinesAreSkipped) {
  EXPECT_TRUE(Forbids("user-agent: *\n<html>\nfoo: /\n:\n: /\ndisallow\ndisallow: /a", "/a"));
  EXPECT_FALSE(Forbids("user-agent: *\ndisallowed: /a\nnot disallow: /a", "/a"));
}

TEST(LinesTest, ZeroBytesAreOrdinaryCharacters) {
  EXPECT_TRUE(Forbids(std::string("user-agent: *\ndisallow: /a\0b", 28), std::string("/a%00b")));
}

// Section 2.5: at least 500 KiB are parsed.
TEST(LinesTest, RulesWithinTheSizeLimitCount) {
  static_assert(kRobotsBytesMax >= 500 * 1024);
  const std::string rules = "user-agent: *\ndisallow: /a\n";
  const std::string padding = std::string(kRobotsBytesMax - rules.size() - 1, '#') + "\n";
  EXPECT_TRUE(Forbids(padding + rules, "/a"));
  EXPECT_FALSE(Forbids(padding + rules, "/b"));
}

// 20,001 rules in 269 KB: the last one, which forbids, was not read.
TEST(LinesTest, RulesAreBoundedByTheirBytesOnly) {
  std::string body = "user-agent: *\n";
  for (int i = 0; i < 40'000; ++i) body += "allow:/" + std::to_string(i) + "\n";
  ASSERT_LT(body.size(), 500u * 1024);
  EXPECT_TRUE(Forbids(body + "disallow: /secret\n", "/secret"));
}

TEST(LinesTest, LongLinesCount) {
  const std::string filler(100'000, 'x');
  EXPECT_TRUE(Forbids("user-agent: *\ndisallow: /a*" + filler, "/a" + filler));
  EXPECT_TRUE(Forbids("user-agent: *\ndisallow: /a" + std::string(100'000, '*'), "/abc"));
  EXPECT_TRUE(Forbids("user-agent: *\ndisallow: /a #" + filler, "/a"));
}

class CutTest : public testing::Test {
 protected:
  // `rules` begin so that the limit comes after `kept` bytes of them.
  static std::string CutAfter(size_t kept, const std::string& rules) {
    return std::string(kRobotsBytesMax - kept - 1, '#') + "\n" + rules;
  }
};

// What is cut off may forbid anything.
TEST_F(CutTest, WhatNoRuleSpeaksOfIsDisallowed) {
  const std::string rules = "user-agent: *\nallow: /open\ndisallow: /open/not\n";
  const std::string body = CutAfter(rules.size(), rules + "disallow: /b");
  EXPECT_TRUE(Forbids(body, "/a"));
  EXPECT_TRUE(Forbids(body, "/b"));
  EXPECT_FALSE(Forbids(body, "/open/here"));
  EXPECT_TRUE(Forbids(body, "/open/not"));
  EXPECT_FALSE(Forbids(body, "/robots.txt"));
}

// A rule that is cut in two says something else than its author: "allow: /" for "allow: /public".
TEST_F(CutTest, TheRuleThatIsCutInTwoIsNotRead) {
  const std::string rules = "user-agent: *\nallow: /public\n";
  for (size_t kept = 0; kept < rules.size(); ++kept) {
    EXPECT_TRUE(Forbids(CutAfter(kept, rules), "/a")) << kept;
  }
  EXPECT_TRUE(Forbids(std::string(kRobotsBytesMax + 1, 'x'), "/a")) << "one line without an end";
}

TEST_F(CutTest, GroupsBehindTheLimitMayBeOurs) {
  const std::string rules = "user-agent: other\nallow: /\n";
  EXPECT_TRUE(Forbids(CutAfter(rules.size(), rules + "user-agent: opic\ndisallow: /"), "/a"));
}

// "Allow: /0000000" and so on, until their lines fill `bytes`, as they are counted.
std::string RulesOf(size_t bytes) {
  std::string rules;
  char line[32];
  const int size = std::snprintf(line, sizeof line, "allow:/%08d\n", 0);
  for (int i = 0; rules.size() + static_cast<size_t>(size) <= bytes; ++i) {
    std::snprintf(line, sizeof line, "allow:/%08d\n", i);
    rules += line;
  }
  return rules;
}

// A robots.txt of 3 MB that has groups for many robots forbade the whole host.
TEST_F(CutTest, WhatIsNotForUsTakesNoRoom) {
  std::string others;
  for (int i = 0; i < 3; ++i) others += "user-agent: other\n" + RulesOf(kKeptBytesMax - 100);
  ASSERT_LT(others.size(), kRobotsBytesMax - 100);
  EXPECT_TRUE(Forbids(others + "user-agent: *\ndisallow: /b", "/b"));
  EXPECT_FALSE(Forbids(others + "user-agent: *\ndisallow: /b", "/a"));
}

TEST_F(CutTest, MoreRulesThanAreKeptForbidWhatTheyDoNotAllow) {
  const std::string kept = "user-agent: *\n" + RulesOf(kKeptBytesMax);
  EXPECT_FALSE(Forbids(kept, "/a"));
  const std::string more = kept + "disallow: /b\nallow: /a\n";
  EXPECT_TRUE(Forbids(more, "/b"));
  EXPECT_TRUE(Forbids(more, "/a"));
  EXPECT_FALSE(Forbids(more, "/00000001"));
}

// The rules for everyone are nothing to a robot that is named.
TEST_F(CutTest, TheRulesForEveryoneDoNotCutOurs) {
  const std::string body =
      "user-agent: *\n" + RulesOf(kKeptBytesMax + 100) + "user-agent: opic\ndisallow: /b\n";
  EXPECT_FALSE(Forbids(body, "/a"));
  EXPECT_TRUE(Forbids(body, "/b"));
}

// They forbid nothing: what is left out of them is not fetched, and that is all.
TEST_F(CutTest, SitemapsThatAreNotKeptForbidNothing) {
  std::string body;
  while (body.size() < 2 * kKeptBytesMax) {
    body += "sitemap: http://a.test/" + std::to_string(body.size()) + ".xml\n";
  }
  body += "user-agent: *\ndisallow: /b\n";
  const Robots robots = Robots::Parse(body, "opic");
  size_t bytes = 0;
  for (const std::string& url : robots.sitemaps()) bytes += url.size();
  EXPECT_LE(bytes, kKeptBytesMax);
  EXPECT_GT(bytes, kKeptBytesMax / 2);
  EXPECT_TRUE(robots.Allows("/a"));
  EXPECT_FALSE(robots.Allows("/b"));
}

}  // namespace
}  // namespace opic::robots
