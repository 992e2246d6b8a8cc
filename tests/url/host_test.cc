// The URL Standard, section 3.5 "host parsing" and 3.6 "host serializing". Vectors follow
// urltestdata.json and toascii.json of web-platform-tests.
#include "url/host.h"

#include <gtest/gtest.h>

#include "tests/url/url_cases.h"
#include "url/idna.h"

namespace opic::url {
namespace {

std::string Host(std::string_view raw) {
  std::string out;
  switch (AppendHost(raw, out)) {
    case HostVerdict::kGood:
      return out;
    case HostVerdict::kEmpty:
      return "<empty>";
    case HostVerdict::kBad:
      return "<bad host>";
    case HostVerdict::kTooLong:
      return "<too long>";
  }
  return "<unknown verdict>";
}

constexpr std::string_view kBadHost = "<bad host>";

TEST(DomainTest, NothingIsNoHost) { EXPECT_EQ(Host(""), "<empty>"); }

TEST(DomainTest, CaseIsLowered) { EXPECT_EQ(Host("ExAmPlE.ORG"), "example.org"); }

TEST(DomainTest, FinalDotStays) { EXPECT_EQ(Host("example.org."), "example.org."); }

TEST(DomainTest, UnusualAsciiIsAllowed) {
  EXPECT_EQ(Host("a_b-.-c"), "a_b-.-c");
  EXPECT_EQ(Host("!\"$&'()*+,-.;=_`{}~"), "!\"$&'()*+,-.;=_`{}~");
}

TEST(DomainTest, ForbiddenCodePointsFail) {
  for (char c : std::string("\0\x01\x1f #/:<>?@[\\]^|%\x7f", 19)) {
    EXPECT_EQ(Host(std::string("a") + c + "b"), kBadHost) << int{c};
  }
}

TEST(DomainTest, PercentEncodingIsDecoded) {
  EXPECT_EQ(Host("ex%41mple%2Eorg"), "example.org");
  EXPECT_EQ(Host("%30%78%63%30%2e%30%32%35%30.01"), "192.168.0.1");
}

TEST(DomainTest, ForbiddenCodePointsFailWhenEncodedToo) {
  for (std::string_view raw : {"a%00b", "a%2fb", "a%25b", "%zz%66%a", "a%", "%E2%98", "a%40b"}) {
    EXPECT_EQ(Host(raw), kBadHost) << raw;
  }
}

TEST(DomainTest, MalformedUtf8Fails) {
  EXPECT_EQ(Host("a\xff"), kBadHost);
  EXPECT_EQ(Host("\xE2%82%AC"), kBadHost);
}

// 3.3: UTS 46, non-transitional.
TEST(IdnaTest, UnicodeBecomesPunycode) {
  EXPECT_EQ(Host("b\u00fccher.example"), "xn--bcher-kva.example");
  EXPECT_EQ(Host("\u4f60\u597d\u4f60\u597d"), "xn--6qqa088eba");
  EXPECT_EQ(Host("fa\u00df.ExAmPlE"), "xn--fa-hia.example");
  EXPECT_EQ(Host("%C3%BC.com"), "xn--tda.com");
}

TEST(IdnaTest, CompatibilityFormsAreMapped) {
  EXPECT_EQ(Host("\uff27\uff4f.com"), "go.com");
  EXPECT_EQ(Host("www.foo\u3002bar.com"), "www.foo.bar.com");
  EXPECT_EQ(Host("GOO\u200b\u2060\ufeffgoo.com"), "googoo.com");
}

TEST(IdnaTest, MappingDoesNotSmuggleForbiddenCodePoints) {
  EXPECT_EQ(Host("\uff05\uff14\uff11.com"), kBadHost);  // fullwidth "%41"
  EXPECT_EQ(Host("a\u2100b"), kBadHost);                // maps to "a/c"
  EXPECT_EQ(Host("\u00ad"), kBadHost);                  // maps to nothing
}

TEST(IdnaTest, MappedNumbersAreAddresses) {
  EXPECT_EQ(Host("\uff10\uff38\uff43\uff10\uff0e\uff10\uff12\uff15\uff10\uff0e\uff10\uff11"),
            "192.168.0.1");
}

TEST(IdnaTest, DisallowedCodePointsFail) {
  for (std::string_view raw : {"\ufdd0zyx.com", "\ufffd.example", "a\u200cb"}) {
    EXPECT_EQ(Host(raw), kBadHost) << raw;
  }
}

// A host of ASCII is a name of DNS whatever its labels decode to: browsers ask for it.
TEST(IdnaTest, PunycodeIsValidatedOnlyBesideOtherThanAscii) {
  EXPECT_EQ(Host("XN--BCHER-KVA.example"), "xn--bcher-kva.example");
  for (std::string_view raw : {"xn--", "xn--a", "a.xn--.b", "xn--a-", "xn--ls8h=", "xn--a-yoc",
                               "xn--zn7c.com", "xn--1ug.example"}) {
    EXPECT_EQ(Host(raw), raw);
    EXPECT_EQ(Host("\u00fc." + std::string(raw)), kBadHost) << raw;
  }
  EXPECT_EQ(Host("xn--te\u0161la"), kBadHost);
}

TEST(IdnaTest, BidirectionalRuleIsChecked) {
  EXPECT_EQ(Host("\u064a."), "xn--mhb.");
  EXPECT_EQ(Host("\u064aa"), kBadHost);
}

// CheckJoiners is true; a joiner after a virama is in its place.
TEST(IdnaTest, JoinersAreChecked) {
  EXPECT_EQ(Host("\u0dc1\u0dca\u200d\u0dbb\u0dd3"), "xn--10cl1a0b660p");
  EXPECT_EQ(Host("\u200d.example"), kBadHost);
}

// UseSTD3ASCIIRules is false: these decompose to ASCII signs and a stroke, yet are letters of a
// name.
TEST(IdnaTest, RelationSignsAreAllowed) {
  EXPECT_EQ(Host("\u2260"), "xn--1ch");
  EXPECT_EQ(Host("\u226e"), "xn--gdh");
}

// VerifyDnsLength and CheckHyphens are false.
TEST(IdnaTest, LengthsAndHyphensAreNotChecked) {
  const std::string long_label(70, 'x');
  EXPECT_EQ(Host("-a-." + long_label + ".\u00fc"), "-a-." + long_label + ".xn--tda");
  EXPECT_EQ(Host("ab--c.\u00fc"), "ab--c.xn--tda");
  EXPECT_EQ(Host("a\u2020--"), "xn--a---kp0a");
  EXPECT_EQ(Host("x..\u00df"), "x..xn--zca");
}

TEST(IdnaTest, HostsBeyondDnsAreNotConverted) {
  const std::string host = std::string(kIdnaBytesMax, 'a') + "\u00fc";
  EXPECT_EQ(Host(host), "<too long>");
  EXPECT_EQ(Parsed("http://" + host + "/"), "<too long>");
}

// "ends in a number checker" and "IPv4 parser".
TEST(Ipv4Test, OddSpellingsAreUnderstood) {
  EXPECT_EQ(Host("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(Host("127.0.0.1."), "127.0.0.1");
  EXPECT_EQ(Host("0x7F.1"), "127.0.0.1");
  EXPECT_EQ(Host("017700000001"), "127.0.0.1");
  EXPECT_EQ(Host("2130706433"), "127.0.0.1");
  EXPECT_EQ(Host("192.168.257"), "192.168.1.1");
  EXPECT_EQ(Host("192.0x00A80001"), "192.168.0.1");
  EXPECT_EQ(Host("0x"), "0.0.0.0");
  EXPECT_EQ(Host("0Xffffffff"), "255.255.255.255");
}

TEST(Ipv4Test, WhatEndsInANumberMustBeAnAddress) {
  for (std::string_view raw :
       {"256.256.256.256", "1.2.3.4.5", "1.2.3.4.5.", "4294967296", "0x100000000",
        "192.168.0.257.1", "foo.09", "foo.0x4", "a.1", "1..1", ".1", "09.0.0.1", "1.2.3.256",
        "1.2.65536", "0300.168.0.0xF00", "99999999999999999999999999"}) {
    EXPECT_EQ(Host(raw), kBadHost) << raw;
  }
}

TEST(Ipv4Test, OtherHostsMayHoldNumbers) {
  for (std::string_view raw : {"1.2.3.4x", "0x4.com", "foo.0xz", "1.com", "..", "1.2..", "a.1b"}) {
    EXPECT_EQ(Host(raw), raw);
  }
}

// "IPv6 parser" and "IPv6 serializer" (RFC 5952's compression).
TEST(Ipv6Test, LongestZeroRunIsCompressed) {
  EXPECT_EQ(Host("[1:0:0:2:0:0:0:3]"), "[1:0:0:2::3]");
  EXPECT_EQ(Host("[1:0::]"), "[1::]");
  EXPECT_EQ(Host("[::]"), "[::]");
  EXPECT_EQ(Host("[0:0:0:0:0:0:0:1]"), "[::1]");
  EXPECT_EQ(Host("[1:0:0:2:3:0:0:4]"), "[1::2:3:0:0:4]");
}

TEST(Ipv6Test, OneZeroPieceIsNotCompressed) {
  EXPECT_EQ(Host("[0:1:2:3:4:5:6:7]"), "[0:1:2:3:4:5:6:7]");
  EXPECT_EQ(Host("[1:2:3:4:5:6:7::]"), "[1:2:3:4:5:6:7:0]");
  EXPECT_EQ(Host("[::2:3:4:5:6:7:8]"), "[0:2:3:4:5:6:7:8]");
}

TEST(Ipv6Test, DigitsAreNormalised) { EXPECT_EQ(Host("[2001:0DB8::00fF]"), "[2001:db8::ff]"); }

TEST(Ipv6Test, EmbeddedIpv4) {
  EXPECT_EQ(Host("[::127.0.0.1]"), "[::7f00:1]");
  EXPECT_EQ(Host("[1:2:3:4:5:6:192.0.2.1]"), "[1:2:3:4:5:6:c000:201]");
}

TEST(Ipv6Test, MalformedFails) {
  for (std::string_view raw : {"[",
                               "[]",
                               "[:]",
                               "[:1]",
                               "[1:]",
                               "[1::2::3]",
                               "[1:2:3:4:5:6:7]",
                               "[1:2:3:4:5:6:7:8:9]",
                               "[1:2:3:4:5:6:7:8::]",
                               "[12345::]",
                               "[g::]",
                               "[::1",
                               "[::1]x",
                               "[:::]",
                               "[::1%25eth0]",
                               "[::1.2.3]",
                               "[::1.2.3.4.5]",
                               "[::01.2.3.4]",
                               "[::1.2.3.256]",
                               "[::.1.2.3]",
                               "[::1.2.3.]",
                               "[1:2:3:4:5:6:7:1.2.3.4]",
                               "[::1.2.3.4:5]",
                               "[ffff::.0.0.1]",
                               "[0:1.23.23]",
                               "[::1..2.3]"}) {
    EXPECT_EQ(Host(raw), kBadHost) << raw;
  }
}

TEST(Ipv6Test, ABareAddressGetsItsBrackets) {
  EXPECT_EQ(Bracketed("::1"), "[::1]");
  EXPECT_EQ(Bracketed("2001:DB8::7"), "[2001:DB8::7]");
  for (const char* other : {"", "[::1]", "a.test", "a.test:80", "127.0.0.1", "::g", "[::1]:80"})
    EXPECT_EQ(Bracketed(other), other);
}

TEST(Ipv6Test, PortFollowsTheBracket) {
  EXPECT_EQ(Parsed("http://[::1]:8080/a"), "http://[::1]:8080/a");
  EXPECT_EQ(Parsed("http://u@[::1]"), "http://[::1]/");
  EXPECT_EQ(Parsed("http://[::1]x:80/"), "<bad host>");
  EXPECT_EQ(Parsed("http://[www.example.org]/"), "<bad host>");
  EXPECT_EQ(Parsed("http://a]b/"), "<bad host>");
}

}  // namespace
}  // namespace opic::url
