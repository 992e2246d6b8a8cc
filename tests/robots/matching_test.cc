// Which rule decides about a path: RFC 9309 sections 2.2.2 and 2.2.3.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "robots/pattern.h"
#include "robots/robots.h"

namespace opic::robots {
namespace {

bool Allowed(std::string_view rules, std::string_view path) {
  return Robots::Parse("user-agent: *\n" + std::string(rules), "opic").Allows(path);
}

// True if the single rule "disallow: pattern" applies to `path`.
bool Applies(std::string_view pattern, std::string_view path) {
  return !Allowed("disallow: " + std::string(pattern), path);
}

// Section 2.2.2: a rule applies to every path that begins with it.
TEST(MatchingTest, PatternMatchesTheBeginningOfThePath) {
  EXPECT_TRUE(Applies("/fish", "/fish"));
  EXPECT_TRUE(Applies("/fish", "/fishheads/yummy.html?id=1"));
  EXPECT_FALSE(Applies("/fish", "/catfish"));
  EXPECT_FALSE(Applies("/fish/", "/fish"));
}

// Section 2.2.2: matching is case-sensitive.
TEST(MatchingTest, PathsAreCaseSensitive) { EXPECT_FALSE(Applies("/fish", "/Fish")); }

// Section 2.2.2: no match, allowed.
TEST(MatchingTest, PathWithoutRuleIsAllowed) { EXPECT_TRUE(Allowed("disallow: /a", "/b")); }

// Section 2.2.2: the most specific match, in octets, decides, whatever the order.
TEST(MatchingTest, LongestMatchDecides) {
  EXPECT_TRUE(Allowed("disallow: /x/\nallow: /x/page.html", "/x/page.html"));
  EXPECT_TRUE(Allowed("allow: /x/page.html\ndisallow: /x/", "/x/page.html"));
  EXPECT_FALSE(Allowed("allow: /x/\ndisallow: /x/page.html", "/x/page.html"));
}

// Section 2.2.2: "most octets" are those after percent-encoding: /%C3%A4 is 7, /xxxx 5.
TEST(MatchingTest, LengthIsCountedInEncodedOctets) {
  EXPECT_TRUE(Allowed("allow: /\xC3\xA4\ndisallow: /*****", "/\xC3\xA4"));
}

// Section 2.2.2: an allow and a disallow rule that are equivalent: allow.
TEST(MatchingTest, AllowWinsTies) {
  EXPECT_TRUE(Allowed("disallow: /x\nallow: /x", "/x"));
  EXPECT_TRUE(Allowed("allow: /x\ndisallow: /x", "/x"));
  EXPECT_TRUE(Allowed("disallow: /%7Ex\nallow: /~x", "/~x"));
}

// Section 2.2.2: /robots.txt is implicitly allowed.
TEST(MatchingTest, RobotsTxtIsAlwaysAllowed) {
  EXPECT_TRUE(Allowed("disallow: /", "/robots.txt"));
  EXPECT_TRUE(Robots::DisallowAll().Allows("/robots.txt"));
  EXPECT_FALSE(Allowed("disallow: /", "/robots.txt.html"));
  EXPECT_FALSE(Allowed("disallow: /", "/a/robots.txt"));
}

// Section 2.2 (ABNF): an empty pattern matches nothing.
TEST(MatchingTest, EmptyPatternMatchesNothing) {
  EXPECT_TRUE(Allowed("disallow:", "/a"));
  EXPECT_FALSE(Allowed("disallow: /\nallow:", "/a"));
}

TEST(MatchingTest, PatternThatIsNoPathMatchesNothing) {
  EXPECT_FALSE(Applies("a", "/a"));
  EXPECT_FALSE(Applies("http://h/", "/"));
  EXPECT_FALSE(Applies("$", "/"));
}

// Section 2.2.2: octets outside ASCII compare equal raw and percent-encoded, in any case of the
// digits.
TEST(MatchingTest, RawAndEncodedOctetsBeyondAsciiAreEqual) {
  EXPECT_TRUE(Applies("/foo/\xE3\x83\x84", "/foo/%E3%83%84"));
  EXPECT_TRUE(Applies("/foo/%E3%83%84", "/foo/\xE3\x83\x84"));
  EXPECT_TRUE(Applies("/foo/%e3%83%84", "/foo/%E3%83%84"));
  EXPECT_FALSE(Applies("/foo/%E3%83%84", "/foo/%E3%83%85"));
}

// Section 2.2.2: an unreserved character that is percent-encoded is decoded first.
TEST(MatchingTest, EncodedUnreservedCharactersAreDecoded) {
  EXPECT_TRUE(Applies("/foo/bar/%62%61%7A", "/foo/bar/baz"));
  EXPECT_TRUE(Applies("/foo/bar/baz", "/foo/bar/%62a%7a"));
}

// Section 2.2.2: an encoded reserved character is another octet than the raw one.
TEST(MatchingTest, EncodedReservedCharactersStayDifferent) {
  EXPECT_FALSE(Applies("/a%2Fb", "/a/b"));
  EXPECT_FALSE(Applies("/a/b", "/a%2Fb"));
  EXPECT_TRUE(Applies("/a%2fb", "/a%2Fb"));
  EXPECT_FALSE(Applies("/a%3Fb", "/a?b"));
}

// Characters that RFC 3986 does not have in a path at all are sent encoded, and written raw in
// rules.
TEST(MatchingTest, CharactersThatCannotStandInAPathAreEncoded) {
  EXPECT_TRUE(Applies("/a b|\"<>^`{}\\", "/a%20b%7C%22%3C%3E%5E%60%7B%7D%5C"));
}

TEST(MatchingTest, BrokenEscapesAreComparedAsWritten) {
  EXPECT_TRUE(Applies("/100%", "/100%"));
  EXPECT_TRUE(Applies("/%zz%4", "/%zz%4"));
  EXPECT_FALSE(Applies("/%zz", "/%zy"));
  // It became one of an octet with the character decoded after it.
  EXPECT_TRUE(Applies("/%c%41", "/%c%41"));
  EXPECT_FALSE(Applies("/%c%41", "/%CA"));
}

// Section 2.2.3: "*" is any run of characters, also an empty one.
TEST(MatchingTest, StarMatchesAnyRun) {
  EXPECT_TRUE(Applies("/a*/c", "/a/c"));
  EXPECT_TRUE(Applies("/a*/c", "/abb/b/c/d"));
  EXPECT_TRUE(Applies("*.php", "/x.php?y"));
  EXPECT_FALSE(Applies("/a*/c", "/abc"));
  EXPECT_TRUE(Applies("/**", "/x"));
}

// Section 2.2.3: "$" is the end of the path.
TEST(MatchingTest, DollarAnchorsTheEnd) {
  EXPECT_TRUE(Applies("/*.php$", "/a.php"));
  EXPECT_FALSE(Applies("/*.php$", "/a.php?x"));
  EXPECT_TRUE(Applies("/*.php$", "/a.php.php"));
  EXPECT_TRUE(Applies("/$", "/"));
  EXPECT_FALSE(Applies("/$", "/a"));
}

// The end must not be matched by characters that an earlier part has used.
TEST(MatchingTest, AnchoredEndDoesNotOverlapWhatCameBefore) {
  EXPECT_FALSE(Applies("/ab*ba$", "/aba"));
  EXPECT_TRUE(Applies("/ab*ba$", "/abba"));
}

// Section 2.2.3: "$" elsewhere than at the end is an ordinary character.
TEST(MatchingTest, DollarInTheMiddleIsLiteral) {
  EXPECT_TRUE(Applies("/a$b", "/a$bc"));
  EXPECT_FALSE(Applies("/a$b", "/a"));
}

// Section 2.2.3: %2A and %24 are the characters themselves.
TEST(MatchingTest, EncodedWildcardsAreLiteral) {
  EXPECT_TRUE(Applies("/file-with-a-%2A.html", "/file-with-a-*.html"));
  EXPECT_FALSE(Applies("/file-with-a-%2A.html", "/file-with-a-b.html"));
  EXPECT_TRUE(Applies("/foo-%24", "/foo-$"));
  EXPECT_FALSE(Applies("/foo-%24", "/foo-"));
}

// Section 5.1 and 5.2, the two examples of the RFC.
TEST(MatchingTest, ExamplesOfTheRfc) {
  constexpr std::string_view kSimple =
      "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n"
      "User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n"
      "User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n"
      "User-Agent: quxbot\n";
  const Robots foobot = Robots::Parse(kSimple, "foobot");
  EXPECT_FALSE(foobot.Allows("/publications/"));
  EXPECT_TRUE(foobot.Allows("/example/page.html"));
  EXPECT_FALSE(Robots::Parse(kSimple, "opic").Allows("/example/allowed.gif"));
  EXPECT_TRUE(Robots::Parse(kSimple, "quxbot").Allows("/example/x.gif"));
  EXPECT_FALSE(Robots::Parse(kSimple, "bazbot").Allows("/example/page.html"));

  constexpr std::string_view kLongest =
      "allow: /example/page/\ndisallow: /example/page/disallowed.gif";
  EXPECT_FALSE(Allowed(kLongest, "/example/page/disallowed.gif"));
}

// The obvious matcher: tries every split at a star.
bool SlowMatches(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return true;
  if (pattern == "$") return path.empty();
  if (pattern[0] == '*') {
    return SlowMatches(pattern.substr(1), path) ||
           (!path.empty() && SlowMatches(pattern, path.substr(1)));
  }
  return !path.empty() && path[0] == pattern[0] && SlowMatches(pattern.substr(1), path.substr(1));
}

std::string RandomText(base::Rng& rng, std::string_view letters, size_t size_max) {
  std::string text;
  for (size_t left = rng.Below(size_max + 1); left > 0; --left) {
    text += letters[rng.Below(letters.size())];
  }
  return text;
}

TEST(MatchingTest, GreedyMatchAgreesWithTryingEverySplit) {
  base::Rng rng(9309);
  for (int round = 0; round < 20'000; ++round) {
    const std::string pattern =
        RandomText(rng, "/ab**", 7) + (rng.Below(2) ? std::string("$") : std::string());
    const std::string path = RandomText(rng, "/ab", 8);
    ASSERT_EQ(Matches(pattern, path), SlowMatches(pattern, path)) << pattern << " " << path;
  }
}

// The first rule that matches decides, as a list asked from its longest pattern on says.
bool SlowAllows(const std::vector<std::pair<bool, std::string>>& rules, const std::string& path) {
  size_t longest = 0;
  bool allowed = true;
  for (const auto& [allow, pattern] : rules) {
    if (!SlowMatches(pattern, path) || pattern.size() < longest) continue;
    allowed = pattern.size() > longest ? allow : allowed || allow;
    longest = pattern.size();
  }
  return allowed;
}

TEST(MatchingTest, IndexOfRulesAgreesWithAskingEachRule) {
  base::Rng rng(48);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::pair<bool, std::string>> rules;
    std::string text;
    for (size_t left = rng.Below(9); left > 0; --left) {
      const bool allow = rng.Below(2) == 0;
      const std::string pattern = "/" + RandomText(rng, rng.Below(3) ? "/ab" : "/ab*", 5) +
                                  (rng.Below(4) ? std::string() : std::string("$"));
      text += (allow ? "allow: " : "disallow: ") + pattern + "\n";
      rules.emplace_back(allow, pattern);
    }
    const Robots robots = Robots::Parse("user-agent: *\n" + text, "opic");
    const std::string path = "/" + RandomText(rng, "/ab", 7);
    ASSERT_EQ(robots.Allows(path), SlowAllows(rules, path)) << text << path;
    ASSERT_EQ(Robots::Decode(robots.Encode())->Allows(path), robots.Allows(path)) << text << path;
  }
}

// 1 MiB of rules with wildcards cost up to 200 ms a page; each would have to be tried.
TEST(MatchingTest, PathThatNeedsTooManyStepsIsDisallowed) {
  std::string rules;
  for (int i = 0; i < 60'000; ++i) rules += "allow: *x" + std::to_string(100'000 + i) + "\n";
  EXPECT_FALSE(Allowed(rules, "/" + std::string(100, 'a')));
  // What a longer rule without wildcards says is known.
  EXPECT_TRUE(Allowed(rules + "allow: /aaaaaaaaaaaa", "/" + std::string(100, 'a')));
  EXPECT_FALSE(Allowed(rules + "disallow: /aaaaaaaaaaaa", "/" + std::string(100, 'a')));
}

// As many as the largest real files have, and more.
TEST(MatchingTest, ThousandsOfWildcardsAreTried) {
  std::string rules;
  for (int i = 0; i < 20'000; ++i) rules += "disallow: /*x" + std::to_string(100'000 + i) + "\n";
  const Robots robots = Robots::Parse("user-agent: *\n" + rules, "opic");
  EXPECT_TRUE(robots.Allows("/" + std::string(100, 'a')));
  EXPECT_FALSE(robots.Allows("/" + std::string(100, 'a') + "x100007"));
}

// Rules without wildcards cost nothing for each of them: 40,000 of them, 20,000 paths.
TEST(MatchingTest, RulesWithoutWildcardsAreNotTriedOneByOne) {
  std::string rules;
  for (int i = 0; i < 40'000; ++i) rules += "disallow: /a/" + std::to_string(100'000 + i) + "/\n";
  const Robots robots = Robots::Parse("user-agent: *\n" + rules, "opic");
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_FALSE(robots.Allows("/a/" + std::to_string(100'000 + i) + "/x"));
    ASSERT_TRUE(robots.Allows("/a/" + std::to_string(100'000 + i)));
  }
}

// Trying every split would take longer than the universe.
TEST(MatchingTest, ManyStarsCostNoMoreThanTheyAreLong) {
  std::string stars = "/";
  for (int i = 0; i < 4000; ++i) stars += "*a";
  const std::string path = "/" + std::string(2000, 'a');
  EXPECT_FALSE(Applies(stars + "b$", path));
  EXPECT_FALSE(Applies("/*" + std::string(1000, 'a') + "b", path));
}

}  // namespace
}  // namespace opic::robots
