#include "cli/host_access_flags.h"

#include <gmock/gmock.h>

#include <fstream>

namespace opic::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class HostAccessTest : public testing::Test {
 protected:
  absl::StatusOr<fetch::HostAccessMap> Read(const std::string& text,
                                            const std::vector<std::string>& insecure = {}) {
    std::ofstream(path_) << text;
    return ReadHostAccess(path_, insecure);
  }
  std::string Refusal(const std::string& text) {
    const auto access = Read(text);
    EXPECT_TRUE(absl::IsInvalidArgument(access.status())) << access.status();
    return std::string(access.status().message());
  }
  const std::string path_ = testing::TempDir() + "/opic_auth_file-" +
                            testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(HostAccessTest, CredentialsAreOfAnOrigin) {
  const auto access = Read(
      "# who may read what\n\n"
      "Docs.Example.org basic anna open sesame \n"
      "https://docs.example.org:8443 bearer abc.def\n"
      "http://b\xc3\xbc"
      "cher.example basic u p\r\n");
  ASSERT_TRUE(access.ok()) << access.status();
  ASSERT_EQ(access->size(), 3u);
  // "anna:open sesame"
  EXPECT_EQ(access->at("https://docs.example.org").authorization, "Basic YW5uYTpvcGVuIHNlc2FtZQ==");
  EXPECT_EQ(access->at("https://docs.example.org:8443").authorization, "Bearer abc.def");
  EXPECT_EQ(access->at("http://xn--bcher-kva.example").authorization, "Basic dTpw");
}

TEST_F(HostAccessTest, AWrongLineIsNamedAndItsSecretIsNot) {
  EXPECT_THAT(Refusal("a.test basic u p\nb.test digest user hunter2\n"), HasSubstr("line 2"));
  for (const char* line :
       {"b.test digest user hunter2", "b.test basic hunter2", "b.test", "b.test bearer two hunter2",
        "b.test basic us:er hunter2", "a.test basic u p\na.test bearer hunter2",
        "http://a.test/path basic u hunter2", "ftp://a.test basic u hunter2",
        "https://hunter2@a.test/ basic u hunter2"}) {
    EXPECT_THAT(Refusal(line), HasSubstr(path_)) << line;
  }
  EXPECT_THAT(Refusal("b.test digest user hunter2"), Not(HasSubstr("hunter2")));
  EXPECT_THAT(std::string(ReadHostAccess("/no/such/file", {}).status().message()),
              HasSubstr("--auth-file: cannot open /no/such/file"));
}

// The mark was a part of the first word.
TEST_F(HostAccessTest, AByteOrderMarkIsIgnored) {
  EXPECT_TRUE(Read("\xef\xbb\xbf# who may read what\na.test basic u p\n").ok());
  const auto access = Read(
      "\xef\xbb\xbf"
      "a.test basic u p\n");
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_TRUE(access->contains("https://a.test"));
}

TEST_F(HostAccessTest, InsecureHostsAreOfHttps) {
  const auto access = Read("a.test basic u p\n", {"a.test", "b.test:8443", "::1"});
  ASSERT_TRUE(access.ok()) << access.status();
  EXPECT_TRUE(access->at("https://a.test").insecure);
  EXPECT_FALSE(access->at("https://a.test").authorization.empty());
  EXPECT_TRUE(access->at("https://b.test:8443").insecure);
  EXPECT_TRUE(access->at("https://[::1]").insecure) << "the command line takes the brackets";
  EXPECT_TRUE(absl::IsInvalidArgument(ReadHostAccess("", {"http://a.test"}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadHostAccess("", {"not a host"}).status()));
}

// They were taken, and matched nothing.
TEST_F(HostAccessTest, PatternsAreRefused) {
  for (const std::string host : {"*", "*.a.test", "https://*.a.test", "a.test:*"}) {
    EXPECT_THAT(Refusal(host + " basic u hunter2"), HasSubstr("\"*\" is not supported")) << host;
    EXPECT_THAT(Refusal(host + " basic u hunter2"), Not(HasSubstr("hunter2"))) << host;
    EXPECT_THAT(std::string(ReadHostAccess("", {host}).status().message()),
                HasSubstr("\"*\" is not supported"))
        << host;
  }
}

TEST(HeaderTest, ALineIsANameAndAValue) {
  EXPECT_THAT(*ParseHeaders({"Accept-Language:de, en;q=0.5", "X-Crawl:  7 "}),
              ElementsAre("Accept-Language: de, en;q=0.5", "X-Crawl: 7"));
  for (const char* line : {"", "X", "X:", ": x", "X Y: z", "X: a\r\nY: b"})
    EXPECT_FALSE(ParseHeaders({line}).ok()) << line;
}

// A blank before the colon put the credentials into the error.
TEST(HeaderTest, ARefusalNamesTheHeaderAndNeverShowsItsValue) {
  for (const char* line : {"Authorization : Bearer hunter2", "Authorization: hunter2",
                           "X-Key : hunter2", "Authorization Bearer hunter2", "X Key: hunter2",
                           "X: hunter2\r\nY: b", ": hunter2", "Cookie: hunter2", "hunter2"}) {
    const std::string refusal(ParseHeaders({"X: y", line}).status().message());
    EXPECT_THAT(refusal, HasSubstr("--header 2")) << line;
    EXPECT_THAT(refusal, Not(HasSubstr("hunter2"))) << line;
  }
  EXPECT_THAT(std::string(ParseHeaders({"Authorization : x"}).status().message()),
              HasSubstr("--auth-file"));
}

TEST(HeaderTest, ThereAreLimits) {
  EXPECT_TRUE(ParseHeaders(std::vector<std::string>(64, "X: y")).ok());
  EXPECT_THAT(std::string(ParseHeaders(std::vector<std::string>(65, "X: y")).status().message()),
              HasSubstr("--header: 65 headers; at most 64"));
  EXPECT_TRUE(ParseHeaders({"X: " + std::string(16'381, 'y')}).ok());
  EXPECT_THAT(std::string(ParseHeaders({"X: " + std::string(16'382, 'y')}).status().message()),
              HasSubstr("--header: 16385 bytes in all headers; at most 16384"));
}

TEST(HeaderTest, AValueThatWasLeftOutIsNoValue) {
  EXPECT_FALSE(ParseHeaders({"X-Key: ..."}).ok()) << "a line that the program has printed";
}

TEST(HeaderTest, WhatTheProgramSetsItselfIsRefusedWithTheFlagThatDoes) {
  EXPECT_THAT(std::string(ParseHeaders({"user-agent: x"}).status().message()),
              HasSubstr("--agent"));
  EXPECT_THAT(std::string(ParseHeaders({"Authorization: Basic x"}).status().message()),
              HasSubstr("--auth-file"));
  EXPECT_THAT(std::string(ParseHeaders({"cookie: x"}).status().message()), HasSubstr("--cookies"));
  EXPECT_THAT(std::string(ParseHeaders({"Proxy-Authorization: Basic x"}).status().message()),
              HasSubstr("--proxy"));
  EXPECT_FALSE(ParseHeaders({"If-None-Match: x"}).ok());
}

}  // namespace
}  // namespace opic::cli
