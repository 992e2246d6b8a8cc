#include "url/scope.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "url/glob.h"

namespace opic::url {
namespace {

Scope ScopeOf(ScopeOptions options, std::initializer_list<std::string_view> seeds) {
  Scope scope(std::move(options));
  for (std::string_view seed : seeds) scope.AddSeed(*Parse(seed));
  return scope;
}

TEST(ScopeTest, HostMeansTheSameHostOnAnyPort) {
  const Scope scope = ScopeOf({.kind = ScopeKind::kHost}, {"http://www.example.org/"});
  EXPECT_TRUE(scope.Contains(*Parse("https://www.example.org:8443/a")));
  EXPECT_FALSE(scope.Contains(*Parse("http://example.org/")));
  EXPECT_FALSE(scope.Contains(*Parse("http://a.www.example.org/")));
}

TEST(ScopeTest, DomainMeansTheSameRegistrableDomain) {
  const Scope scope = ScopeOf({.kind = ScopeKind::kDomain}, {"http://www.example.co.uk/"});
  EXPECT_TRUE(scope.Contains(*Parse("http://example.co.uk/")));
  EXPECT_TRUE(scope.Contains(*Parse("http://a.b.example.co.uk/")));
  EXPECT_FALSE(scope.Contains(*Parse("http://other.co.uk/")));
  EXPECT_FALSE(scope.Contains(*Parse("http://badexample.co.uk/")));
}

TEST(ScopeTest, SuffixSeedDoesNotOpenTheSitesBelowIt) {
  const Scope scope = ScopeOf({.kind = ScopeKind::kDomain}, {"http://github.io/"});
  EXPECT_TRUE(scope.Contains(*Parse("http://github.io/")));
  EXPECT_FALSE(scope.Contains(*Parse("http://someone.github.io/")));
}

TEST(ScopeTest, AnyMeansEveryHost) {
  const Scope scope = ScopeOf({.kind = ScopeKind::kAny}, {});
  EXPECT_TRUE(scope.Contains(*Parse("http://example.org/")));
}

TEST(ScopeTest, IncludeNarrowsAndExcludeWins) {
  const Scope scope =
      ScopeOf({.kind = ScopeKind::kAny, .include = {"*/a/*", "*/b/*"}, .exclude = {"*.pdf"}}, {});
  EXPECT_TRUE(scope.Contains(*Parse("http://h/b/x")));
  EXPECT_FALSE(scope.Contains(*Parse("http://h/c/x")));
  EXPECT_FALSE(scope.Contains(*Parse("http://h/a/x.pdf")));
}

TEST(ScopeTest, FingerprintTellsWhatMatters) {
  const ScopeOptions options{.kind = ScopeKind::kHost, .include = {"*a*", "*b*"}};
  const uint64_t print = ScopeOf(options, {"http://a/", "http://b/"}).Fingerprint();
  EXPECT_NE(print, ScopeOf(options, {"http://a/"}).Fingerprint());
  EXPECT_NE(print, ScopeOf({.kind = ScopeKind::kDomain, .include = options.include},
                           {"http://a/", "http://b/"})
                       .Fingerprint());
  EXPECT_NE(print, ScopeOf({.kind = ScopeKind::kHost, .exclude = options.include},
                           {"http://a/", "http://b/"})
                       .Fingerprint());
}

TEST(ScopeTest, FingerprintIgnoresOrder) {
  const auto seeds = {std::string_view("http://a/"), std::string_view("http://b/")};
  EXPECT_EQ(
      ScopeOf({.include = {"*a*", "*b*"}}, seeds).Fingerprint(),
      ScopeOf({.include = {"*b*", "*a*"}}, {"http://b/", "http://a/x", "http://a/"}).Fingerprint());
}

TEST(RegistrableDomainTest, FollowsThePublicSuffixList) {
  EXPECT_EQ(RegistrableDomain("www.example.co.uk"), "example.co.uk");
  EXPECT_EQ(RegistrableDomain("a.b.example.com"), "example.com");
  EXPECT_EQ(RegistrableDomain("example.com."), "example.com");
  EXPECT_EQ(RegistrableDomain("me.github.io"), "me.github.io");
  EXPECT_EQ(RegistrableDomain("www.xn--85x722f.xn--55qx5d.cn"), "xn--85x722f.xn--55qx5d.cn");
}

TEST(RegistrableDomainTest, ManyInTurnAreAskedForAndSomeTwice) {
  for (int i = 0; i < 2; ++i) {
    for (const char* host : {"www.a.com", "www.a.com", "www.a.com.", "www.b.com", "www.b.com"})
      EXPECT_EQ(RegistrableDomain(host), std::string_view(host).substr(4, 5)) << host;
    EXPECT_EQ(RegistrableDomain(""), "");
    EXPECT_EQ(RegistrableDomain("192.0.2.1"), "192.0.2.1");
  }
}

TEST(RegistrableDomainTest, UnlistedTopLevelDomainIsASuffix) {
  EXPECT_EQ(RegistrableDomain("site1.sample.test"), "sample.test");
}

TEST(RegistrableDomainTest, SomeHostsAreTheirOwnDomain) {
  for (std::string_view host : {"192.0.2.1", "[2001:db8::1]", "co.uk", "localhost", ""}) {
    EXPECT_EQ(RegistrableDomain(host), host);
  }
}

TEST(GlobTest, StarAndQuestionMark) {
  EXPECT_TRUE(GlobMatches("http://*/a?c*", "http://h/abc"));
  EXPECT_FALSE(GlobMatches("http://*/a?c", "http://h/ac"));
  EXPECT_FALSE(GlobMatches("abc", "abcd"));
  EXPECT_TRUE(GlobMatches("*ab", "aab"));
  EXPECT_TRUE(GlobMatches("**", ""));
  EXPECT_FALSE(GlobMatches("", "a"));
}

// The obvious definition, exponential.
bool SlowMatches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    return SlowMatches(pattern.substr(1), text) ||
           (!text.empty() && SlowMatches(pattern, text.substr(1)));
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         SlowMatches(pattern.substr(1), text.substr(1));
}

TEST(GlobTest, AgreesWithTheObviousDefinition) {
  base::Rng rng(7);
  const auto random = [&rng](std::string_view letters) {
    std::string word(rng.Below(8), ' ');
    for (char& c : word) c = letters[rng.Below(letters.size())];
    return word;
  };
  for (int round = 0; round < 20000; ++round) {
    const std::string pattern = random("ab*?"), text = random("ab");
    ASSERT_EQ(GlobMatches(pattern, text), SlowMatches(pattern, text)) << pattern << " " << text;
  }
}

// Exponential backtracking would not end.
TEST(GlobTest, ManyStarsAreNoTrap) {
  std::string pattern;
  for (int star = 0; star < 500; ++star) pattern += "*a";
  EXPECT_FALSE(GlobMatches(pattern + "b", std::string(kUrlBytesMax, 'a')));
}

}  // namespace
}  // namespace opic::url
