#include "http/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opic::http {
namespace {

std::string Parsed(const std::string& text) {
  const absl::StatusOr<Address> address = ParseAddress(text);
  return address.ok() ? address->ToText() : "refused";
}

TEST(AddressTest, WhatPeopleWrite) {
  EXPECT_EQ(Parsed("127.0.0.1:9464"), "127.0.0.1:9464");
  EXPECT_EQ(Parsed("0.0.0.0:0"), "0.0.0.0:0");
  EXPECT_EQ(Parsed("[::1]:9464"), "[::1]:9464");
  EXPECT_EQ(Parsed("[::]:65535"), "[::]:65535");
  EXPECT_EQ(Parsed("localhost:80"), "127.0.0.1:80");
}

// Nobody listens to the whole world by leaving something out.
TEST(AddressTest, APortAloneIsOfLoopback) {
  EXPECT_EQ(Parsed("9464"), "127.0.0.1:9464");
  EXPECT_EQ(Parsed("0"), "127.0.0.1:0");
  EXPECT_EQ(Parsed(":9464"), "refused");
}

TEST(AddressTest, WhatIsNoAddressIsRefused) {
  for (const char* text :
       {"", ":", "a.example:9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1",
        "127.0.0.1: 80", "127.0.0.1:80x", "::1:9464", "[127.0.0.1]:80", "[]:80", "[::1]80",
        "256.0.0.1:80", "http://127.0.0.1:80", "99999999999999999999"}) {
    EXPECT_EQ(Parsed(text), "refused") << text;
  }
  const absl::Status status = ParseAddress("a.example:9464").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("--http: \"a.example:9464\""));
}

TEST(AddressTest, Loopback) {
  EXPECT_TRUE(ParseAddress("127.0.0.1:1")->IsLoopback());
  EXPECT_TRUE(ParseAddress("127.8.8.8:1")->IsLoopback());
  EXPECT_TRUE(ParseAddress("[::1]:1")->IsLoopback());
  EXPECT_FALSE(ParseAddress("0.0.0.0:1")->IsLoopback());
  EXPECT_FALSE(ParseAddress("[::]:1")->IsLoopback());
}

}  // namespace
}  // namespace opic::http
