#include "certs/mac.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"

namespace opic::certs {
namespace {

// RFC 4231, test case 2.
TEST(MacTest, IsHmacSha256) {
  EXPECT_EQ(absl::BytesToHexString(Mac("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(MacTest, WhatIsTheSame) {
  EXPECT_TRUE(Same("", "") && Same("ab", "ab"));
  EXPECT_FALSE(Same("ab", "ac") || Same("ab", "abc") || Same("", "a"));
}

TEST(MacTest, RandomIsNotTheSameTwice) {
  EXPECT_EQ(RandomHex(16).size(), 32u);
  EXPECT_NE(RandomHex(16), RandomHex(16));
}

}  // namespace
}  // namespace opic::certs
