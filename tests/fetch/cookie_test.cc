// Cookies: whose they are, to whom they are shown, how many are kept, and for how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/fetch/client.h"
#include "tests/support/http_server.h"

namespace opic::fetch {
namespace {

using ::opic::support::Answer;
using ::opic::support::HttpRequest;
using ::opic::support::HttpServer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

// As CURLINFO_COOKIELIST has it; `expiry` 0: a session's.
std::string CookieLine(const std::string& name, const std::string& value = "v",
                       int64_t expiry = 0) {
  return absl::StrCat("a.example\tFALSE\t/\tFALSE\t", expiry, "\t", name, "\t", value);
}
std::vector<std::string> CookieLines(size_t count, const std::string& value) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < count; ++i) lines.push_back(CookieLine(absl::StrCat("n", i), value));
  return lines;
}

class CookieJarTest : public ::testing::Test {
 protected:
  CookieJar jar_{1 << 20};
};

TEST_F(CookieJarTest, EachHostHasItsOwn) {
  EXPECT_TRUE(jar_.Keep("a.example", {CookieLine("n")}, kNow));
  EXPECT_THAT(jar_.Of("a.example", kNow), ElementsAre(CookieLine("n")));
  EXPECT_THAT(jar_.Of("www.a.example", kNow), IsEmpty());
  EXPECT_THAT(jar_.Of("example", kNow), IsEmpty());
}

TEST_F(CookieJarTest, TheSameAgainIsNoChange) {
  EXPECT_FALSE(jar_.Keep("a.example", {}, kNow));
  EXPECT_TRUE(jar_.Keep("a.example", {CookieLine("n")}, kNow));
  EXPECT_FALSE(jar_.Keep("a.example", {CookieLine("n")}, kNow));
  EXPECT_TRUE(jar_.Keep("a.example", {CookieLine("n", "other")}, kNow));
  EXPECT_TRUE(jar_.Keep("a.example", {}, kNow));
  EXPECT_EQ(jar_.hosts(), 0u);
  EXPECT_EQ(jar_.bytes(), 0u);
}

TEST_F(CookieJarTest, ExpiredOnesGoAndThoseOfASessionStay) {
  const int64_t soon = absl::ToUnixSeconds(kNow) + 10;
  jar_.Keep("a.example", {CookieLine("late", "v", soon), CookieLine("session")}, kNow);
  EXPECT_THAT(jar_.Of("a.example", kNow), SizeIs(2));
  EXPECT_THAT(jar_.Of("a.example", kNow + absl::Seconds(10)), ElementsAre(CookieLine("session")));
}

TEST_F(CookieJarTest, OfTooManyTheOldestLeave) {
  std::vector<std::string> lines = CookieLines(kCookiesOfHostMax + 7, "v");
  jar_.Keep("a.example", lines, kNow);
  lines.erase(lines.begin(), lines.begin() + 7);
  EXPECT_EQ(jar_.Of("a.example", kNow), lines);
}

TEST_F(CookieJarTest, OfTooManyBytesTheOldestLeave) {
  jar_.Keep("a.example", CookieLines(20, std::string(2000, 'x')), kNow);
  const std::vector<std::string> kept = jar_.Of("a.example", kNow);
  EXPECT_THAT(kept, SizeIs(8));
  EXPECT_EQ(kept.back(), CookieLine("n19", std::string(2000, 'x')));
}

TEST_F(CookieJarTest, OneThatIsTooLongIsNotKept) {
  jar_.Keep("a.example", {CookieLine("long", std::string(kCookieBytesMax, 'x')), CookieLine("n")},
            kNow);
  EXPECT_THAT(jar_.Of("a.example", kNow), ElementsAre(CookieLine("n")));
}

TEST_F(CookieJarTest, OfTooManyHostsThoseAskedLongestAgoLeave) {
  CookieJar jar(1 << 20, /*hosts_max=*/3);
  for (const char* host : {"a", "b", "c"}) jar.Keep(host, {CookieLine("n")}, kNow);
  jar.Of("a", kNow);
  jar.Keep("d", {CookieLine("n")}, kNow);
  EXPECT_EQ(jar.hosts(), 3u);
  EXPECT_THAT(jar.Of("b", kNow), IsEmpty());
  EXPECT_THAT(jar.Of("a", kNow), SizeIs(1));
}

TEST_F(CookieJarTest, MemoryIsBounded) {
  CookieJar jar(100'000);
  for (int i = 0; i < 1000; ++i) {
    jar.Keep(absl::StrCat("host", i), CookieLines(10, std::string(1000, 'x')), kNow);
    ASSERT_LE(jar.bytes(), 100'000u);
  }
  EXPECT_GT(jar.hosts(), 5u);
  EXPECT_THAT(jar.Of("host999", kNow), SizeIs(10));
}

TEST_F(CookieJarTest, RowsTellWhatHasChanged) {
  jar_.Keep("a", {CookieLine("n")}, kNow);
  jar_.Keep("a", {CookieLine("m")}, kNow);
  jar_.Keep("b", {CookieLine("n")}, kNow);
  EXPECT_THAT(jar_.TakeChanged(), SizeIs(2));
  EXPECT_THAT(jar_.TakeChanged(), IsEmpty());
  jar_.Keep("b", {}, kNow);
  const std::vector<CookieJar::Row> rows = jar_.TakeChanged();
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].host, "b");
  EXPECT_EQ(rows[0].value, "") << "its row goes";
}

TEST_F(CookieJarTest, AHostThatLeftForWantOfRoomLosesItsRow) {
  CookieJar jar(1 << 20, /*hosts_max=*/1);
  jar.Keep("a", {CookieLine("n")}, kNow);
  jar.TakeChanged();
  jar.Keep("b", {CookieLine("n")}, kNow);
  EXPECT_THAT(
      jar.TakeChanged(),
      UnorderedElementsAre(
          AllOf(Field(&CookieJar::Row::host, "a"), Field(&CookieJar::Row::value, IsEmpty())),
          AllOf(Field(&CookieJar::Row::host, "b"), Field(&CookieJar::Row::value, Not(IsEmpty())))));
}

TEST_F(CookieJarTest, RowsBringAllBack) {
  const int64_t later = absl::ToUnixSeconds(kNow) + 100;
  jar_.Keep("b", {CookieLine("session"), CookieLine("n", "", later)}, kNow + absl::Seconds(1));
  jar_.Keep("a", {CookieLine("n", "v", later)}, kNow);
  const std::vector<CookieJar::Row> rows = jar_.TakeChanged();
  for (const CookieJar::Row& row : rows) EXPECT_TRUE(CookieJar::CanRead(row.value));

  CookieJar second(1 << 20);
  second.Restore(rows, kNow + absl::Seconds(2));
  EXPECT_EQ(second.bytes(), jar_.bytes());
  EXPECT_THAT(second.Of("b", kNow), ElementsAre(CookieLine("session"), CookieLine("n", "", later)));
  EXPECT_THAT(second.TakeChanged(), IsEmpty());

  CookieJar smaller(1 << 20, /*hosts_max=*/1);
  smaller.Restore(rows, kNow);
  EXPECT_THAT(smaller.Of("a", kNow), IsEmpty()) << "it was asked before the other";
  EXPECT_THAT(smaller.Of("b", kNow), SizeIs(2));

  CookieJar much_later(1 << 20);
  much_later.Restore(rows, kNow + absl::Hours(1));
  EXPECT_THAT(much_later.Of("b", kNow), ElementsAre(CookieLine("session")));
  EXPECT_EQ(much_later.hosts(), 1u);
  EXPECT_THAT(much_later.TakeChanged(), SizeIs(2)) << "what has expired leaves the disk";
}

TEST_F(CookieJarTest, RowsThatCannotBeReadArePassedOver) {
  for (const std::string value : {"", "\x01",
                                  "\x01\x05"
                                  "abc",
                                  "\x01\x01x"}) {
    CookieJar jar(1 << 20);
    jar.Restore({{"a", value}}, kNow);
    EXPECT_EQ(jar.hosts(), 0u);
    EXPECT_THAT(jar.TakeChanged(), SizeIs(1)) << "and leave the disk";
  }
}

// A site that sets a cookie at /set and shows at /get what it was sent.
class CookiesTest : public ::testing::Test {
 protected:
  CookiesTest() {
    options_.cookies = &jar_;
    options_.connect_to = {absl::StrCat("::127.0.0.1:", server_.port())};
  }
  // `host` sets these, each a Set-Cookie.
  Response Set(Client& client, const std::string& host, const std::vector<std::string>& cookies) {
    {
      absl::MutexLock lock(&mu_);
      set_ = cookies;
    }
    return client.Get(Request{.url = absl::StrCat("http://", host, "/set"), .cookies = true});
  }
  // Sorted by name.
  std::string Shown(Client& client, const std::string& url) {
    std::vector<std::string> shown =
        absl::StrSplit(client.Get(Request{.url = url, .cookies = true}).body, "; ");
    std::sort(shown.begin(), shown.end());
    return absl::StrJoin(shown, "; ");
  }
  support::HttpReply Reply(const HttpRequest& request) {
    if (request.target == "/gate" && request.Header("Cookie").empty())
      return Answer("302 Found", "Location: /gate\r\nSet-Cookie: seen=1\r\n", "");
    std::string lines;
    absl::MutexLock lock(&mu_);
    if (request.target == "/set") {
      for (const std::string& cookie : set_)
        absl::StrAppend(&lines, "Set-Cookie: ", cookie, "\r\n");
    }
    return Answer("200 OK", lines, request.Header("Cookie"));
  }

  absl::Mutex mu_;
  std::vector<std::string> set_ ABSL_GUARDED_BY(mu_);
  HttpServer server_{[this](const HttpRequest& request) { return Reply(request); }};
  CookieJar jar_{1 << 20};
  Options options_ = Local();
};

TEST_F(CookiesTest, AGateOpensOnceItsCookieIsThere) {
  Client client(options_);
  const Response first = client.Get(Request{.url = "http://a.example/gate", .cookies = true});
  EXPECT_EQ(first.status, 302);
  EXPECT_EQ(first.cookies, 1u);
  EXPECT_TRUE(first.cookies_changed);
  const Response second = client.Get(Request{.url = "http://a.example/gate", .cookies = true});
  EXPECT_EQ(second.status, 200);
  EXPECT_EQ(second.cookies, 1u);
  EXPECT_FALSE(second.cookies_changed);
}

TEST_F(CookiesTest, WithoutTheOptionNoneAreSent) {
  options_.cookies = nullptr;
  Client client(options_);
  for (int i = 0; i < 2; ++i) {
    const Response response = client.Get(Request{.url = "http://a.example/gate", .cookies = true});
    EXPECT_EQ(response.status, 302);
    EXPECT_EQ(response.cookies, 0u);
  }
}

TEST_F(CookiesTest, ARequestThatDoesNotAskForThemHasNone) {
  Client client(options_);
  Set(client, "a.example", {"n=1"});
  EXPECT_EQ(client.Get("http://a.example/robots.txt").body, "");
  EXPECT_EQ(client.Get("http://b.example/gate").status, 302) << "and what it is given is dropped";
  EXPECT_EQ(client.Get("http://b.example/gate").status, 302);
  EXPECT_EQ(Shown(client, "http://a.example/get"), "n=1");
}

// All requests go over the same handle, one after the other.
TEST_F(CookiesTest, NoHostIsShownAnothersCookies) {
  Client client(options_);
  Set(client, "a.example", {"thin=1", "wide=1; Domain=a.example"});
  EXPECT_EQ(Shown(client, "http://b.example/get"), "");
  EXPECT_EQ(Shown(client, "http://www.a.example/get"), "");
  EXPECT_EQ(Shown(client, "http://a.example/get"), "thin=1; wide=1");
  EXPECT_EQ(Shown(client, "http://a.example:8080/get"), "thin=1; wide=1");
  Set(client, "www.a.example", {"up=1; Domain=a.example"});
  EXPECT_EQ(Shown(client, "http://www.a.example/get"), "up=1");
  EXPECT_EQ(Shown(client, "http://a.example/get"), "thin=1; wide=1");
}

TEST_F(CookiesTest, DomainOfAnotherHostOrOfAPublicSuffixIsRefused) {
  Client client(options_);
  for (const char* domain : {"co.uk", "uk", "b.co.uk", "www.a.co.uk", "github.io"}) {
    EXPECT_EQ(Set(client, "a.co.uk", {absl::StrCat("n=1; Domain=", domain)}).cookies, 0u) << domain;
  }
  EXPECT_EQ(Set(client, "a.github.io", {"n=1; Domain=github.io"}).cookies, 0u);
  EXPECT_EQ(Set(client, "a.co.uk", {"n=1; Domain=a.co.uk"}).cookies, 1u);
}

TEST_F(CookiesTest, PathAndExpiryAreKept) {
  Client client(options_);
  Set(client, "a.example", {"deep=1; Path=/deep", "all=1; Path=/", "new=1; Path=/; Max-Age=9999"});
  EXPECT_EQ(Shown(client, "http://a.example/get"), "all=1; new=1");
  EXPECT_EQ(Shown(client, "http://a.example/deep/x"), "all=1; deep=1; new=1");
  Set(client, "a.example", {"all=; Path=/; Max-Age=0", "new=; Path=/; Max-Age=0"});
  EXPECT_EQ(Shown(client, "http://a.example/deep/x"), "deep=1");
}

TEST_F(CookiesTest, AFloodIsBounded) {
  Client client(options_);
  for (int round = 0; round < 10; ++round) {
    std::vector<std::string> flood;
    for (int i = 0; i < 40; ++i)
      flood.push_back(absl::StrCat("c", round, "-", i, "=", std::string(500, 'x'), "; Path=/"));
    EXPECT_EQ(Set(client, "a.example", flood).status, 200);
  }
  const std::vector<std::string> kept = jar_.Of("a.example", absl::Now());
  EXPECT_LE(kept.size(), kCookiesOfHostMax);
  size_t bytes = 0;
  for (const std::string& cookie : kept) bytes += cookie.size();
  EXPECT_LE(bytes, kCookieBytesOfHostMax);
  EXPECT_THAT(kept.back(), ::testing::HasSubstr("c9-39"));
}

// All requests go over the same handle, in which libcurl counts what the last answer has set.
TEST_F(CookiesTest, AFloodOfOneHostTakesNothingFromTheNext) {
  Client client(options_);
  Set(client, "a.example", {"mine=1"});
  std::vector<std::string> flood;
  for (int i = 0; i < 200; ++i) flood.push_back(absl::StrCat("n", i, "=1"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Set(client, "b.example", flood).status, 200);
    EXPECT_EQ(Shown(client, "http://a.example/get"), "mine=1");
  }
  EXPECT_EQ(Set(client, "b.example", flood).status, 200);
  EXPECT_NE(Shown(client, "http://b.example/get"), "") << "nor from itself";
  EXPECT_THAT(jar_.Of("a.example", absl::Now()), SizeIs(1));
}

TEST_F(CookiesTest, ARestartKeepsThemThoseOfASessionToo) {
  {
    Client client(options_);
    Set(client, "a.example", {"session=1", "late=1; Max-Age=9999"});
  }
  CookieJar second(1 << 20);
  second.Restore(jar_.TakeChanged(), absl::Now());
  options_.cookies = &second;
  Client client(options_);
  EXPECT_EQ(Shown(client, "http://a.example/get"), "late=1; session=1");
}

TEST_F(CookiesTest, OfAnIpv6LiteralTheyAreItsOwn) {
  HttpServer ipv6([this](const HttpRequest& request) { return Reply(request); }, {.ipv6 = true});
  if (!ipv6.ok()) GTEST_SKIP() << "this machine has no ::1";
  options_.connect_to.clear();
  Client client(options_);
  EXPECT_EQ(client.Get(Request{.url = ipv6.Url("/gate"), .cookies = true}).status, 302);
  EXPECT_EQ(client.Get(Request{.url = ipv6.Url("/gate"), .cookies = true}).status, 200);
  EXPECT_THAT(jar_.Of("[::1]", absl::Now()), SizeIs(1));
}

TEST_F(CookiesTest, AProxyThatRefusesItsPasswordSetsNone) {
  HttpServer proxy([](const HttpRequest&) {
    return Answer("407 Proxy Authentication Required", "Set-Cookie: n=1\r\n", "");
  });
  options_.connect_to.clear();
  options_.proxy = proxy.Url("");
  Client client(options_);
  EXPECT_EQ(client.Get(Request{.url = "http://a.example/", .cookies = true}).error, Error::kProxy);
  EXPECT_EQ(jar_.hosts(), 0u);
}

// A Secure cookie is set over https only (RFC 6265bis section 5.7), so here it is in the jar.
TEST_F(CookiesTest, SecureOnesAreNotSentOverHttp) {
  EXPECT_TRUE(jar_.Keep(
      "site.example",
      {"site.example\tFALSE\t/\tTRUE\t0\tsafe\t1", "site.example\tFALSE\t/\tFALSE\t0\tplain\t1"},
      absl::Now()));
  Client client(options_);
  EXPECT_EQ(Set(client, "site.example", {"over=http; Secure"}).cookies, 2u);
  EXPECT_EQ(Shown(client, "http://site.example/get"), "plain=1");
  EXPECT_THAT(jar_.Of("site.example", absl::Now()), SizeIs(2)) << "and kept for https";
}

TEST(HostOfTest, IsWithoutSchemePortAndPath) {
  EXPECT_EQ(HostOf("https://a.example/x:1"), "a.example");
  EXPECT_EQ(HostOf("http://a.example:8080/"), "a.example");
  EXPECT_EQ(HostOf("http://[::1]/"), "[::1]");
  EXPECT_EQ(HostOf("http://[::1]:81/"), "[::1]");
  EXPECT_EQ(HostOf("nonsense"), "");
}

}  // namespace
}  // namespace opic::fetch
