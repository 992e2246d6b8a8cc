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
  const std::string rules = "user-agent: *\ndisallow: /a\n";
  const std::string padding = std::string(kRobotsBytesMax - rules.size() - 1, '#') + "\n";
  EXPECT_TRUE(Forbids(padding + rules, "/a"));
  EXPECT_TRUE(Forbids(padding + rules + "disallow: /b", "/a"));
  EXPECT_FALSE(Forbids(padding + rules + "disallow: /b", "/b"));
}

// A rule that is cut in two says something else than its author: here it would close the whole
// site.
TEST(LinesTest, RuleCutAtTheSizeLimitIsIgnored) {
  const std::string rules = "user-agent: *\ndisallow: /private\n";
  const size_t cut = rules.find("private");
  const std::string padding = std::string(kRobotsBytesMax - cut - 1, '#') + "\n";
  EXPECT_FALSE(Forbids(padding + rules, "/a"));
  EXPECT_FALSE(Forbids(padding + rules, "/private"));
}

TEST(LinesTest, OverlongLinesAreIgnoredButForTheirComments) {
  const std::string filler(kLineBytesMax, 'x');
  EXPECT_FALSE(Forbids("user-agent: *\ndisallow: /a*" + filler, "/a" + filler));
  EXPECT_TRUE(Forbids("user-agent: *\ndisallow: /a #" + filler, "/a"));
}

TEST(LinesTest, RulesAreBoundedInNumber) {
  std::string body = "user-agent: *\n";
  for (size_t i = 0; i < kRulesMax; ++i) body += "allow:/" + std::to_string(i) + "\n";
  EXPECT_FALSE(Forbids(body + "disallow: /a\n", "/a"));
}

}  // namespace
}  // namespace opic::robots
