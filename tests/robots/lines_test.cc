// How a robots.txt is cut into lines: RFC 9309 sections 2.2, 2.3 and 2.5.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace opic::robots
