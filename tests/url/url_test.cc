// The URL Standard's basic URL parser for http and https, one rule a test. Vectors follow the
// http(s) part of web-platform-tests' urltestdata.json; fragments and credentials are dropped from
// what it expects.
#include "url/url.h"

#include <gtest/gtest.h>

#include "tests/url/url_cases.h"

namespace opic::url {
namespace {

constexpr std::string_view kBase = "http://example.org/foo/bar";

TEST(UrlPartsTest, ViewsCoverTheText) {
  const auto url = Parse("http://user:pw@WWW.Example.org:8080/a/b?x=1#top");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->text(), "http://www.example.org:8080/a/b?x=1");
  EXPECT_EQ(url->scheme(), "http");
  EXPECT_EQ(url->host(), "www.example.org");
  EXPECT_EQ(url->authority(), "www.example.org:8080");
  EXPECT_EQ(url->origin(), "http://www.example.org:8080");
  EXPECT_EQ(url->path(), "/a/b");
  EXPECT_EQ(url->path_and_query(), "/a/b?x=1");
  EXPECT_EQ(url->port(), 8080);
}

TEST(UrlPartsTest, ResolvedUrlHasItsOwnParts) {
  const auto base = Parse("https://example.org:444/a/b?x");
  const auto url = Parse("c/d?y", &*base);
  ASSERT_TRUE(url);
  EXPECT_EQ(url->origin(), "https://example.org:444");
  EXPECT_EQ(url->path(), "/a/c/d");
  EXPECT_EQ(url->path_and_query(), "/a/c/d?y");
  EXPECT_EQ(url->port(), 444);
}

// 4.4, step 1 and 3: leading and trailing C0 control or space, then tabs and newlines anywhere.
TEST(UrlInputTest, ControlsAndSpacesAroundAreStripped) {
  EXPECT_EQ(Parsed(" \x01\x1f http://example.org/a \t\n\x02"), "http://example.org/a");
  EXPECT_EQ(Resolved(kBase, "   "), "http://example.org/foo/bar");
}

TEST(UrlInputTest, TabsAndNewlinesAreRemovedEverywhere) {
  EXPECT_EQ(Parsed("h\tt\nt\rp://h\to\ns\rt:9\t0\n0\r0/p\ta\nt\rh?q\tu\ne\rry"),
            "http://host:9000/path?query");
  EXPECT_EQ(Resolved(kBase, "a/.\n./b"), "http://example.org/foo/b");
}

TEST(UrlInputTest, BytesAroundATabDoNotGrowTogether) {
  EXPECT_EQ(Resolved(kBase, "\xE2\t\x82\xAC"),
            "http://example.org/foo/%EF%BF%BD%EF%BF%BD%EF%BF%BD");
}

TEST(UrlInputTest, MalformedUtf8IsReplaced) {
  EXPECT_EQ(Resolved(kBase, "\xFF"), "http://example.org/foo/%EF%BF%BD");
  EXPECT_EQ(Resolved(kBase, "?\xE2\x82"), "http://example.org/foo/bar?%EF%BF%BD");
  EXPECT_EQ(Resolved(kBase, "\xED\xA0\x80"),  // a surrogate: three bad bytes
            "http://example.org/foo/%EF%BF%BD%EF%BF%BD%EF%BF%BD");
  EXPECT_EQ(Resolved(kBase, "\xC0\xAF"), "http://example.org/foo/%EF%BF%BD%EF%BF%BD");  // overlong
  EXPECT_EQ(Resolved(kBase, "\xF0\x9F\x92\xA9"), "http://example.org/foo/%F0%9F%92%A9");
}

// "scheme state".
TEST(UrlSchemeTest, CaseDoesNotMatter) {
  EXPECT_EQ(Parsed("HTTP://example.org"), "http://example.org/");
  EXPECT_EQ(Parsed("hTTpS://example.org"), "https://example.org/");
}

TEST(UrlSchemeTest, OtherSchemesAreRejected) {
  for (std::string_view input :
       {"ftp://example.org/", "mailto:a@example.org", "javascript:alert(1)", "data:text/html,x",
        "file:///etc/passwd", "ws://example.org/", "c:/windows", "about:blank", "a+b-c.d:x",
        "httpx://example.org/"}) {
    EXPECT_EQ(Parsed(input), "<not http or https>") << input;
    EXPECT_EQ(Resolved(kBase, input), "<not http or https>") << input;
  }
}

TEST(UrlSchemeTest, WhatIsNoSchemeIsRelative) {
  EXPECT_EQ(Resolved(kBase, "1http:x"), "http://example.org/foo/1http:x");
  EXPECT_EQ(Resolved(kBase, ":foo.com"), "http://example.org/foo/:foo.com");
  EXPECT_EQ(Resolved(kBase, "a b:x"), "http://example.org/foo/a%20b:x");
  EXPECT_EQ(Parsed("example.org/a"), "<relative without a base>");
  EXPECT_EQ(Parsed("//example.org/a"), "<relative without a base>");
  EXPECT_EQ(Parsed(""), "<relative without a base>");
}

// "special authority slashes state" and "special authority ignore slashes state".
TEST(UrlSchemeTest, AnyNumberOfSlashesMayFollow) {
  for (std::string_view input : {"http:example.org/", "http:/example.org/", "http:///example.org/",
                                 "http:\\\\example.org\\", "http:/\\/\\example.org/"}) {
    EXPECT_EQ(Parsed(input), "http://example.org/") << input;
  }
}

// "special relative or authority state": relative only to a base of the same scheme.
TEST(UrlSchemeTest, SchemeWithoutSlashesIsRelativeToItsOwnScheme) {
  EXPECT_EQ(Resolved(kBase, "http:baz"), "http://example.org/foo/baz");
  EXPECT_EQ(Resolved(kBase, "http:/baz"), "http://example.org/baz");
  EXPECT_EQ(Resolved(kBase, "http:?q"), "http://example.org/foo/bar?q");
  EXPECT_EQ(Resolved(kBase, "http:"), "http://example.org/foo/bar");
  EXPECT_EQ(Resolved(kBase, "http:\\\\x:b\\c"), "<bad port>");
  EXPECT_EQ(Resolved(kBase, "https:baz"), "https://baz/");
  EXPECT_EQ(Resolved(kBase, "https:/baz"), "https://baz/");
}

// "relative state" and "relative slash state".
TEST(UrlRelativeTest, EmptyKeepsPathAndQuery) {
  EXPECT_EQ(Resolved("http://example.org/a?b", ""), "http://example.org/a?b");
  EXPECT_EQ(Resolved("http://example.org/a?b", "#c"), "http://example.org/a?b");
}

TEST(UrlRelativeTest, QueryKeepsThePath) {
  EXPECT_EQ(Resolved("http://example.org/a/b?c", "?d"), "http://example.org/a/b?d");
  EXPECT_EQ(Resolved("http://example.org/a/b?c", "?"), "http://example.org/a/b?");
}

TEST(UrlRelativeTest, PathReplacesTheLastSegment) {
  EXPECT_EQ(Resolved(kBase, "baz"), "http://example.org/foo/baz");
  EXPECT_EQ(Resolved("http://example.org/foo/?a/b", "baz"), "http://example.org/foo/baz");
  EXPECT_EQ(Resolved("http://example.org", "baz"), "http://example.org/baz");
}

TEST(UrlRelativeTest, OneSlashKeepsTheAuthority) {
  EXPECT_EQ(Resolved("http://example.org:81/a/b", "/c"), "http://example.org:81/c");
  EXPECT_EQ(Resolved(kBase, "\\c\\d"), "http://example.org/c/d");
}

TEST(UrlRelativeTest, TwoSlashesBringAnAuthority) {
  EXPECT_EQ(Resolved("https://example.org/a", "//other.example/b"), "https://other.example/b");
  EXPECT_EQ(Resolved(kBase, "\\\\other.example"), "http://other.example/");
  EXPECT_EQ(Resolved(kBase, "////other.example//x"), "http://other.example//x");
  EXPECT_EQ(Resolved(kBase, "//"), "<no host>");
}

// RFC 3986, section 5.4: examples that the URL Standard resolves alike.
TEST(UrlRelativeTest, ExamplesOfRfc3986) {
  const std::string_view base = "http://a/b/c/d;p?q";
  EXPECT_EQ(Resolved(base, "g;x=1/./y"), "http://a/b/c/g;x=1/y");
  EXPECT_EQ(Resolved(base, "g;x=1/../y"), "http://a/b/c/y");
  EXPECT_EQ(Resolved(base, "."), "http://a/b/c/");
  EXPECT_EQ(Resolved(base, ".."), "http://a/b/");
  EXPECT_EQ(Resolved(base, "../../../g"), "http://a/g");
  EXPECT_EQ(Resolved(base, "..g"), "http://a/b/c/..g");
  EXPECT_EQ(Resolved(base, "g?y/../x"), "http://a/b/c/g?y/../x");
}

// "authority state": all up to the last '@' is credentials.
TEST(UrlAuthorityTest, CredentialsAreDropped) {
  EXPECT_EQ(Parsed("http://user:pass@foo:21/bar"), "http://foo:21/bar");
  EXPECT_EQ(Parsed("http://::@c@d:2"), "http://d:2/");
  EXPECT_EQ(Parsed("http://a\\@b/c"), "http://a/@b/c");
  EXPECT_EQ(Parsed("http://a?@b"), "http://a/?@b");
}

TEST(UrlAuthorityTest, HostMayNotBeMissing) {
  for (std::string_view input : {"http://", "http:///", "http://?a", "http://#a", "http://:80/",
                                 "http://user@/www.example.org", "http://a:b@:80"}) {
    EXPECT_EQ(Parsed(input), "<no host>") << input;
  }
}

// "port state".
TEST(UrlPortTest, DefaultIsDropped) {
  EXPECT_EQ(Parsed("http://f:80/c"), "http://f/c");
  EXPECT_EQ(Parsed("https://f:443/c"), "https://f/c");
  EXPECT_EQ(Parsed("http://f:443/c"), "http://f:443/c");
  EXPECT_EQ(Parsed("http://f:/c"), "http://f/c");
  EXPECT_EQ(Parsed("http://f:00000000000000000000080/c"), "http://f/c");
  EXPECT_EQ(Parse("https://f/")->port(), 443);
}

TEST(UrlPortTest, MustBeANumberOfSixteenBits) {
  EXPECT_EQ(Parsed("http://f:0/c"), "http://f:0/c");
  EXPECT_EQ(Parsed("http://f:65535/c"), "http://f:65535/c");
  for (std::string_view port : {"65536", "b", " 21", "-80", "99999999999999999999", "8:8"}) {
    EXPECT_EQ(Parsed("http://f:" + std::string(port) + "/c"), "<bad port>") << port;
  }
}

// "path state".
TEST(UrlPathTest, EmptyPathBecomesASlash) {
  EXPECT_EQ(Parsed("http://example.org"), "http://example.org/");
  EXPECT_EQ(Parsed("http://example.org?q"), "http://example.org/?q");
}

TEST(UrlPathTest, DotSegmentsAreResolved) {
  EXPECT_EQ(Parsed("http://h/foo/./bar/."), "http://h/foo/bar/");
  EXPECT_EQ(Parsed("http://h/foo/bar/.."), "http://h/foo/");
  EXPECT_EQ(Parsed("http://h/foo/bar/../ton/../../a"), "http://h/a");
  EXPECT_EQ(Parsed("http://h/foo/../../../ton"), "http://h/ton");
  EXPECT_EQ(Parsed("http://h/foo/bar//../.."), "http://h/foo/");
  EXPECT_EQ(Parsed("http://h/..bar/.../b..."), "http://h/..bar/.../b...");
}

TEST(UrlPathTest, EncodedDotsAreDots) {
  EXPECT_EQ(Parsed("http://h/foo/%2e"), "http://h/foo/");
  EXPECT_EQ(Parsed("http://h/foo/%2e%2"), "http://h/foo/%2e%2");
  EXPECT_EQ(Parsed("http://h/foo/%2e./%2e%2e/.%2e/%2e.bar"), "http://h/%2e.bar");
  EXPECT_EQ(Parsed("http://h/a/%2E%2E/b/%2e%2e%2e"), "http://h/b/%2e%2e%2e");
}

TEST(UrlPathTest, EmptySegmentsStay) {
  EXPECT_EQ(Parsed("http://h////../.."), "http://h//");
  EXPECT_EQ(Parsed("http://h/foo//bar//"), "http://h/foo//bar//");
}

TEST(UrlPathTest, BackslashIsASlash) {
  EXPECT_EQ(Parsed("http://h/foo\\bar\\..\\x"), "http://h/foo/x");
}

// The path percent-encode set.
TEST(UrlPathTest, PercentEncodeSet) {
  EXPECT_EQ(Parsed("http://h/ \"<>^`{}\x7f\x01."), "http://h/%20%22%3C%3E%5E%60%7B%7D%7F%01.");
  EXPECT_EQ(Parsed("http://h/!$&'()*+,-.:;=@[]_|~"), "http://h/!$&'()*+,-.:;=@[]_|~");
  EXPECT_EQ(Parsed("http://h/\u4f60"), "http://h/%E4%BD%A0");
}

TEST(UrlPathTest, PercentSignsStayAsTheyAre) {
  EXPECT_EQ(Parsed("http://h/foo%41%7a%zz%"), "http://h/foo%41%7a%zz%");
}

// "query state" with the special-query percent-encode set.
TEST(UrlQueryTest, PercentEncodeSet) {
  EXPECT_EQ(Parsed("http://h/?a b\"<>'\u00e9"), "http://h/?a%20b%22%3C%3E%27%C3%A9");
  EXPECT_EQ(Parsed("http://h/?`{}|^[]\\/?@:%zz"), "http://h/?`{}|^[]\\/?@:%zz");
}

TEST(UrlQueryTest, FragmentIsDropped) {
  EXPECT_EQ(Parsed("http://h/a#b?c"), "http://h/a");
  EXPECT_EQ(Parsed("http://h/a?#b"), "http://h/a?");
  EXPECT_EQ(Parsed("http://h#/a"), "http://h/");
}

TEST(UrlLengthTest, LongestTextIsAccepted) {
  const std::string prefix = "http://h/";
  const std::string longest = prefix + std::string(kUrlBytesMax - prefix.size(), 'a');
  EXPECT_EQ(Parsed(longest), longest);
  EXPECT_EQ(Parsed(longest + "a"), "<too long>");
  EXPECT_EQ(Parsed("http://h/" + std::string(kUrlBytesMax / 3, ' ') + "x"), "<too long>");
}

TEST(UrlLengthTest, WhatIsDroppedDoesNotCount) {
  EXPECT_EQ(Parsed("http://h/#" + std::string(3 * kUrlBytesMax, 'a')), "http://h/");
  EXPECT_EQ(Parsed("http://h/#" + std::string(4 * kUrlBytesMax, 'a')), "<too long>");
  EXPECT_EQ(Parsed("http://" + std::string(4 * kUrlBytesMax - 8, 'a') + "/"), "<too long>");
}

TEST(UrlTest, ItsTextMayBeTaken) {
  std::optional<Url> url = Parse("http://a.test/long/enough/to/be/moved?x=1");
  ASSERT_TRUE(url);
  const char* bytes = url->text().data();
  const std::string text = (*std::move(url)).TakeText();
  EXPECT_EQ(text, "http://a.test/long/enough/to/be/moved?x=1");
  EXPECT_EQ(text.data(), bytes) << "it was copied";
}

TEST(HostOfTest, IsWhatAParsedUrlSays) {
  for (const std::string text :
       {"http://a.test/", "https://a.test:8080/x?y", "http://[::1]/", "http://[::1]:81/a:b",
        "http://a.test./", "http://192.168.0.1/?http://b.test/", "http://a.test/x:1"}) {
    const std::optional<Url> url = Parse(text);
    ASSERT_TRUE(url) << text;
    EXPECT_EQ(HostOf(url->text()), url->host()) << text;
  }
  EXPECT_EQ(HostOf("nonsense"), "");
  EXPECT_EQ(HostOf(""), "");
  EXPECT_EQ(HostOf("http://"), "");
}

}  // namespace
}  // namespace opic::url
