// The http and https part of web-platform-tests' urltestdata.json, row by row: input, base, what
// comes out. Credentials and fragments, which this parser drops, are dropped from what is expected.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/url/url_cases.h"

namespace opic::url {
namespace {

using namespace std::string_view_literals;

struct Row {
  std::string_view input;
  std::string_view expected;  // empty: no URL, or none of http and https
};

template <size_t kRows>
void Check(const Row (&rows)[kRows], std::string_view base_text = "") {
  const std::optional<Url> base = Parse(base_text);
  for (const Row& row : rows) {
    const std::optional<Url> url = Parse(row.input, base ? &*base : nullptr);
    EXPECT_EQ(url ? url->text() : "", row.expected) << "\"" << row.input << "\" on " << base_text;
  }
}

TEST(ConformanceTest, Relative) {
  constexpr Row kRows[] = {
      {"http://example\t.\norg", "http://example.org/"},
      {"http:foo.com", "http://example.org/foo/foo.com"},
      {"\t   :foo.com   \n", "http://example.org/foo/:foo.com"},
      {" foo.com  ", "http://example.org/foo/foo.com"},
      {"a:\t foo.com", ""},
      {"", "http://example.org/foo/bar"},
      {"  \t", "http://example.org/foo/bar"},
      {":foo.com/", "http://example.org/foo/:foo.com/"},
      {":", "http://example.org/foo/:"},
      {":a", "http://example.org/foo/:a"},
      {":/", "http://example.org/foo/:/"},
      {":\\", "http://example.org/foo/:/"},
      {":#", "http://example.org/foo/:"},
      {"#", "http://example.org/foo/bar"},
      {"#/", "http://example.org/foo/bar"},
      {"#;?", "http://example.org/foo/bar"},
      {"?", "http://example.org/foo/bar?"},
      {"/", "http://example.org/"},
      {":23", "http://example.org/foo/:23"},
      {"/:23", "http://example.org/:23"},
      {"\\x", "http://example.org/x"},
      {"::", "http://example.org/foo/::"},
      {"::23", "http://example.org/foo/::23"},
      {"http::@c:29", "http://example.org/foo/:@c:29"},
      {"[61:24:74]:98", "http://example.org/foo/[61:24:74]:98"},
      {"http:[61:27]/:foo", "http://example.org/foo/[61:27]/:foo"},
      {"/a/b/c", "http://example.org/a/b/c"},
      {"/a/ /c", "http://example.org/a/%20/c"},
      {"/a%2fc", "http://example.org/a%2fc"},
      {"/a/%2f/c", "http://example.org/a/%2f/c"},
      {"#\u03b2", "http://example.org/foo/bar"},
      {"http:/example.com/", "http://example.org/example.com/"},
      {"http:example.com/", "http://example.org/foo/example.com/"},
      {"https:/example.com/", "https://example.com/"},
      {"https:example.com/", "https://example.com/"},
      {"ftp:/example.com/", ""},
      {"madeupscheme:/example.com/", ""},
      {"javascript:example.com/", ""},
      {"mailto:example.com/", ""},
      {"data:text/html,test#test", ""},
      {"http://user:pass@foo:21/bar;par?b#c", "http://foo:21/bar;par?b"},
  };
  Check(kRows, "http://example.org/foo/bar");
}

TEST(ConformanceTest, RelativeToAPageOfTheTopFolder) {
  constexpr Row kRows[] = {
      {"/", "http://www.example.com/"},
      {"/test.txt", "http://www.example.com/test.txt"},
      {".", "http://www.example.com/"},
      {"..", "http://www.example.com/"},
      {"test.txt", "http://www.example.com/test.txt"},
      {"./test.txt", "http://www.example.com/test.txt"},
      {"../test.txt", "http://www.example.com/test.txt"},
      {"../aaa/test.txt", "http://www.example.com/aaa/test.txt"},
      {"../../test.txt", "http://www.example.com/test.txt"},
      {"\u4e2d/test.txt", "http://www.example.com/%E4%B8%AD/test.txt"},
      {"http://www.example2.com", "http://www.example2.com/"},
      {"//www.example2.com", "http://www.example2.com/"},
  };
  Check(kRows, "http://www.example.com/test");
}

// RFC 3986 sections 5.4.1 and 5.4.2.
TEST(ConformanceTest, ExamplesOfRfc3986) {
  constexpr Row kRows[] = {
      {"g:h", ""},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g/"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q"},
      {"g#s", "http://a/b/c/g"},
      {"g?y#s", "http://a/b/c/g?y"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g?y/../x", "http://a/b/c/g?y/../x"},
      {"g#s/../x", "http://a/b/c/g"},
      {"http:g", "http://a/b/c/g"},
  };
  Check(kRows, "http://a/b/c/d;p?q");
}

TEST(ConformanceTest, Credentials) {
  constexpr Row kRows[] = {
      {"https://test:@test", "https://test/"},
      {"https://:@test", "https://test/"},
      {"http://a:b@c:29/d", "http://c:29/d"},
      {"http://&a:foo(b]c@d:2/", "http://d:2/"},
      {"http://::@c@d:2", "http://d:2/"},
      {"http://foo.com:b@d/", "http://d/"},
      {"http://foo.com/\\@", "http://foo.com//@"},
      {"http:\\\\a\\b:c\\d@foo.com\\", "http://a/b:c/d@foo.com/"},
      {"http://a:b@c\\", "http://c/"},
      {"http://foo:\U0001F4A9@example.com/bar", "http://example.com/bar"},
      {"http://%25DOMAIN:foobar@foodomain.com/", "http://foodomain.com/"},
      {"http:@www.example.com", "http://www.example.com/"},
      {"http:/@www.example.com", "http://www.example.com/"},
      {"http://@www.example.com", "http://www.example.com/"},
      {"http:a:b@www.example.com", "http://www.example.com/"},
      {"http:/a:b@www.example.com", "http://www.example.com/"},
      {"http://a:b@www.example.com", "http://www.example.com/"},
      {"http://@pple.com", "http://pple.com/"},
      {"http::b@www.example.com", "http://www.example.com/"},
      {"http:a:@www.example.com", "http://www.example.com/"},
      {"http://www.@pple.com", "http://pple.com/"},
      {"http:@/www.example.com", ""},
      {"http:/@/www.example.com", ""},
      {"http:a@/www.example.com", ""},
      {"http:a:b@/www.example.com", ""},
      {"http:/a:b@/www.example.com", ""},
      {"http://a:b@/www.example.com", ""},
      {"http::@/www.example.com", ""},
      {"http:a:@/www.example.com", ""},
      {"http://@:www.example.com", ""},
      {"http:@:www.example.com", ""},
      {"http:/@:www.example.com", ""},
      {"http://user:pass@/", ""},
      {"http://user@/www.example.com", ""},
  };
  Check(kRows);
}

TEST(ConformanceTest, Ports) {
  constexpr Row kRows[] = {
      {"http://f:c/b", ""},
      {"http://f: /b", ""},
      {"http://f:0/c", "http://f:0/c"},
      {"http://f:00000000000000/c", "http://f:0/c"},
      {"http://f:00000000000000000000080/c", "http://f/c"},
      {"http://f:\n/c", "http://f/c"},
      {"http://f:fifty-two/c", ""},
      {"http://f:65535/c", "http://f:65535/c"},
      {"http://f:65536/c", ""},
      {"http://f: 21 / b ? d # e ", ""},
      {"http://f:21/ b ? d # e ", "http://f:21/%20b%20?%20d%20"},
      {"http://f:4294967377/c", ""},
      {"http://f:18446744073709551697/c", ""},
      {"http://f:340282366920938463463374607431768211537/c", ""},
      {"http://foo:80/", "http://foo/"},
      {"http://foo:81/", "http://foo:81/"},
      {"http://foo:-80/", ""},
      {"https://foo:443/", "https://foo/"},
      {"https://foo:80/", "https://foo:80/"},
      {"http://[2001::1]:80", "http://[2001::1]/"},
      {"http://[1::2]:3:4", ""},
      {"http://2001::1", ""},
      {"http://2001::1]:80", ""},
  };
  Check(kRows);
}

TEST(ConformanceTest, Paths) {
  constexpr Row kRows[] = {
      {"http://example.com/././foo", "http://example.com/foo"},
      {"http://example.com/./.foo", "http://example.com/.foo"},
      {"http://example.com/foo/.", "http://example.com/foo/"},
      {"http://example.com/foo/./", "http://example.com/foo/"},
      {"http://example.com/foo/bar/..", "http://example.com/foo/"},
      {"http://example.com/foo/bar/../", "http://example.com/foo/"},
      {"http://example.com/foo/bar/..bar", "http://example.com/foo/bar/..bar"},
      {"http://example.com/foo/bar/../ton", "http://example.com/foo/ton"},
      {"http://example.com/foo/bar/../ton/../../a", "http://example.com/a"},
      {"http://example.com/foo/../../..", "http://example.com/"},
      {"http://example.com/foo/../../../ton", "http://example.com/ton"},
      {"http://example.com/foo/%2e", "http://example.com/foo/"},
      {"http://example.com/foo/%2e%2", "http://example.com/foo/%2e%2"},
      {"http://example.com/foo/%2e./%2e%2e/.%2e/%2e.bar", "http://example.com/%2e.bar"},
      {"http://example.com////../..", "http://example.com//"},
      {"http://example.com/foo/bar//../..", "http://example.com/foo/"},
      {"http://example.com/foo/bar//..", "http://example.com/foo/bar/"},
      {"http://example.com/foo", "http://example.com/foo"},
      {"http://example.com/%20foo", "http://example.com/%20foo"},
      {"http://example.com/foo%", "http://example.com/foo%"},
      {"http://example.com/foo%2", "http://example.com/foo%2"},
      {"http://example.com/foo%2zbar", "http://example.com/foo%2zbar"},
      {"http://example.com/foo%2\u00a9zbar", "http://example.com/foo%2%C2%A9zbar"},
      {"http://example.com/foo%41%7a", "http://example.com/foo%41%7a"},
      {"http://example.com/foo\t\xC2\x91%91", "http://example.com/foo%C2%91%91"},
      {"http://example.com/foo%00%51", "http://example.com/foo%00%51"},
      {"http://example.com/(%28:%3A%29)", "http://example.com/(%28:%3A%29)"},
      {"http://example.com/%3A%3a%3C%3c", "http://example.com/%3A%3a%3C%3c"},
      {"http://example.com/foo\tbar", "http://example.com/foobar"},
      {"http://example.com\\\\foo\\\\bar", "http://example.com//foo//bar"},
      {"http://example.com/%7Ffp3%3Eju%3Dduvgw%3Dd", "http://example.com/%7Ffp3%3Eju%3Dduvgw%3Dd"},
      {"http://example.com/@asdf%40", "http://example.com/@asdf%40"},
      {"http://example.com/\u4f60\u597d", "http://example.com/%E4%BD%A0%E5%A5%BD"},
      {"http://example.com/\u2025/foo", "http://example.com/%E2%80%A5/foo"},
      {"http://example.com/\ufeff/foo", "http://example.com/%EF%BB%BF/foo"},
      {"http://example.com/\u202e/foo/\u202d/bar",
       "http://example.com/%E2%80%AE/foo/%E2%80%AD/bar"},
      {"http:\\\\foo.com\\", "http://foo.com/"},
      {"http://www/foo%2Ehtml", "http://www/foo%2Ehtml"},
      {"http://www/foo/%2E/html", "http://www/foo/html"},
      {"http:\\\\www.google.com\\foo", "http://www.google.com/foo"},
      {"\0\x1b\x04\x12 http://example.com/\x1f \r "sv, "http://example.com/"},
      {"https://x/\ufffd?\ufffd#\ufffd", "https://x/%EF%BF%BD?%EF%BF%BD"},
  };
  Check(kRows);
}

TEST(ConformanceTest, Queries) {
  constexpr Row kRows[] = {
      {"http://www.google.com/foo?bar=baz#", "http://www.google.com/foo?bar=baz"},
      {"http://www.google.com/foo?bar=baz# \u00bb", "http://www.google.com/foo?bar=baz"},
      {"http://example.org/test?a#b\0c"sv, "http://example.org/test?a"},
      {"http://example.org/test?\"", "http://example.org/test?%22"},
      {"http://example.org/test?#", "http://example.org/test?"},
      {"http://example.org/test?<", "http://example.org/test?%3C"},
      {"http://example.org/test?>", "http://example.org/test?%3E"},
      {"http://example.org/test?\u2323", "http://example.org/test?%E2%8C%A3"},
      {"http://example.org/test?%23%23", "http://example.org/test?%23%23"},
      {"http://example.org/test?%GH", "http://example.org/test?%GH"},
      {"http://example.org/test?a#%EF", "http://example.org/test?a"},
      {"http://host/?'", "http://host/?%27"},
      {"https://example.com/%?%#%", "https://example.com/%?%"},
      {"https://www.example.com/path{\x7fpath.html?query'\x7f=query#fragment<\x7f"
       "fragment",
       "https://www.example.com/path%7B%7Fpath.html?query%27%7F=query"},
  };
  Check(kRows);
}

}  // namespace
}  // namespace opic::url
