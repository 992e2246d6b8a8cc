// The hosts of web-platform-tests' urltestdata.json, in http URLs: input, serialised host. One row
// of the standard's host parser each.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/url/url_cases.h"

namespace opic::url {
namespace {

using namespace std::string_view_literals;

struct Row {
  std::string_view input;
  std::string_view expected;  // empty: refused
};

template <size_t kRows>
void Check(const Row (&rows)[kRows]) {
  for (const Row& row : rows) {
    const std::optional<Url> url = Parse("http://" + std::string(row.input) + "/");
    EXPECT_EQ(url ? url->host() : "", row.expected) << row.input;
    EXPECT_EQ(url ? url->path() : "/", "/") << row.input;
  }
}

template <size_t kRows>
void CheckRefused(const std::string_view (&hosts)[kRows]) {
  for (std::string_view host : hosts) {
    EXPECT_FALSE(Parse("http://" + std::string(host) + "/")) << "\"" << host << "\"";
  }
}

TEST(HostConformanceTest, Ipv4) {
  constexpr Row kRows[] = {
      {"1.2.3.4", "1.2.3.4"},
      {"1.2.3.4.", "1.2.3.4"},
      {"192.168.257", "192.168.1.1"},
      {"192.168.257.", "192.168.1.1"},
      {"192.168.257.com", "192.168.257.com"},
      {"256", "0.0.1.0"},
      {"256.com", "256.com"},
      {"99999999", "5.245.224.255"},
      {"999999999", "59.154.201.255"},
      {"999999999.com", "999999999.com"},
      {"4294967295", "255.255.255.255"},
      {"0xffffffff", "255.255.255.255"},
      {"0x.0x.0", "0.0.0.0"},
      {"192.0x00A80001", "192.168.0.1"},
      {"0300.0250.0.01", "192.168.0.1"},
      {"%30%78%63%30%2e%30%32%35%30.01", "192.168.0.1"},
      {"%30%78%63%30%2e%30%32%35%30.01%2e", "192.168.0.1"},
      {"\uff10\uff38\uff43\uff10\uff0e\uff10\uff12\uff15\uff10\uff0e\uff10\uff11", "192.168.0.1"},
      {"foo.09..", "foo.09.."},
      {"1.2.3.4.com", "1.2.3.4.com"},
      {"127.1", "127.0.0.1"},
      {"0x7f.1", "127.0.0.1"},
      {"017700000001", "127.0.0.1"},
  };
  Check(kRows);
}

TEST(HostConformanceTest, WhatEndsInANumberMustBeAnIpv4Address) {
  constexpr std::string_view kHosts[] = {
      "99999999999",
      "10000000000",
      "4294967296",
      "0xffffffff1",
      "256.256.256.256",
      "256.256.256.256.256",
      "192.168.0.257",
      "256.256.256.256.256.",
      "256.0.0.1",
      "0x100000000",
      "1.2.3.08",
      "1.2.3.08.",
      "1.2.3.09",
      "09.2.3.4",
      "09.2.3.4.",
      "01.2.3.4.5",
      "1.2.3.4.5",
      "1.2.3.4.5.",
      "0x100.2.3.4",
      "0x1.2.3.4.5",
      "foo.1.2.3.4",
      "foo.1.2.3.4.",
      "foo.2.3.4",
      "foo.0x4",
      "foo.0x4.",
      "foo.09",
      "foo.09.",
      "foo.0x",
      "0..0x300",
      "foo.0XFfFfFfFfFfFfFfFfFfAcE123",
      "0999999999999999999",
      "\U0001F4A9.123",
  };
  CheckRefused(kHosts);
}

TEST(HostConformanceTest, Ipv6) {
  constexpr Row kRows[] = {
      {"[2001::1]", "[2001::1]"},
      {"[::127.0.0.1]", "[::7f00:1]"},
      {"[0:0:0:0:0:0:13.1.68.3]", "[::d01:4403]"},
      {"[::ffff:1.2.3.4]", "[::ffff:102:304]"},
      {"[1:0::]", "[1::]"},
      {"[0:1:2:3:4:5:6:7]", "[0:1:2:3:4:5:6:7]"},
      {"[0:0:0:0:0:0:0:0]", "[::]"},
      {"[0:0:0:1:0:0:0:0]", "[0:0:0:1::]"},
      {"[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"},
      {"[0:1:0:1:0:1:0:1]", "[0:1:0:1:0:1:0:1]"},
      {"[1:0:1:0:1:0:1:0]", "[1:0:1:0:1:0:1:0]"},
      {"[0::0:1]", "[::1]"},
      {"[2001:DB8::00AB]", "[2001:db8::ab]"},
      {"[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"},
      {"[::2:3:4:5:6:7:8]", "[0:2:3:4:5:6:7:8]"},
  };
  Check(kRows);
}

TEST(HostConformanceTest, WhatIsNoIpv6Address) {
  constexpr std::string_view kHosts[] = {
      "[]",
      "[:]",
      "[::127.0.0.1.]",
      "[::1.2.3.4x]",
      "[::1.2.3.]",
      "[::1.2.]",
      "[::.1.2]",
      "[::1.]",
      "[::.1]",
      "[::%31]",
      "%5B::1]",
      "2001::1]",
      "[google.com]",
      "[www.google.com]",
      "[0:1:2:3:4:5:6:7:8]",
      "[0::0::0]",
      "[0:.0]",
      "[0:0:]",
      "[0:1:2:3:4:5:6:7.0.0.0.1]",
      "[0:1.00.0.0.0]",
      "[0:1.290.0.0.0]",
      "[0:1.23.23]",
      "[::1",
      "[::1]x",
      "[12345::]",
      "[::g]",
      "[:1::2]",
      "[1:2:3:4:5:6:7]",
      "[fe80::1%25eth0]",
      "[ ::1]",
  };
  CheckRefused(kHosts);
}

TEST(HostConformanceTest, Domains) {
  constexpr Row kRows[] = {
      {"ExAmPlE.CoM", "example.com"},
      {".", "."},
      {"..", ".."},
      {"GOO\u200b\u2060\ufeffgoo.com", "googoo.com"},
      {"www.foo\u3002bar.com", "www.foo.bar.com"},
      {"\uff27\uff4f.com", "go.com"},
      {"\u4f60\u597d\u4f60\u597d", "xn--6qqa088eba"},
      {"fa\u00df.ExAmPlE", "xn--fa-hia.example"},
      {"B\u00dcCHER.de", "xn--bcher-kva.de"},
      {"xn--bcher-kva.de", "xn--bcher-kva.de"},
      {"a.b.c.xn--pokxncvks", "a.b.c.xn--pokxncvks"},
      {"a.b.c.XN--pokxncvks", "a.b.c.xn--pokxncvks"},
      {"10.0.0.xn--pokxncvks", "10.0.0.xn--pokxncvks"},
      {"b%C3%BCcher.de", "xn--bcher-kva.de"},
      {"ex%41mple.com", "example.com"},
      {"ho\tst", "host"},
      {"a_b.example", "a_b.example"},
      {"!\"$&'()*+,-.;=_`{}~", "!\"$&'()*+,-.;=_`{}~"},
      {"-a-.example", "-a-.example"},
      {"foo.2.3_4", "foo.2.3_4"},
      {"www", "www"},
  };
  Check(kRows);
}

TEST(HostConformanceTest, WhatIsNoDomain) {
  constexpr std::string_view kHosts[] = {
      "example example.com",
      "Goo%20 goo%7C|.com",
      "\ufdd0zyx.com",
      "%ef%b7%90zyx.com",
      "\ufffd",
      "%EF%BF%BD",
      "\uff05\uff14\uff11.com",
      "%ef%bc%85%ef%bc%94%ef%bc%91.com",
      "\uff05\uff10\uff10.com",
      "%ef%bc%85%ef%bc%90%ef%bc%90.com",
      "%zz%66%a.com",
      "%25",
      "hello%00",
      "192.168.0.1 hello",
      "%3g%78%63%30%2e%30%32%35%30%2E.01",
      "\u00ad",
      "%C2%AD",
      "ho%20st",
      "ho%3Cst",
      "ho%3Est",
      "ho%5Bst",
      "ho%5Dst",
      "ho%7Cst",
      "ho%09st",
      "ho%0Ast",
      "ho%0Dst",
      "ho%7Fst",
      "ho\0st"sv,
      "ho\x01st",
      "ho\x7fst",
      "ho<st",
      "ho>st",
      "ho^st",
      "ho|st",
      "ho st",
      "ho[st",
      "ho]st",
      "ho%2Fst",
      "ho%3Ast",
      "ho%40st",
      "ho%23st",
  };
  CheckRefused(kHosts);
}

}  // namespace
}  // namespace opic::url
