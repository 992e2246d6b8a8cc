#include "cli/secret_settings.h"

#include <gtest/gtest.h>

namespace opic::cli {
namespace {

TEST(SecretSettingsTest, ValuesOfHeadersAreLeftOutButForHarmlessOnes) {
  EXPECT_EQ(WithoutSecret("header", "X-Key: abc"), "X-Key: ...");
  EXPECT_EQ(WithoutSecret("header", "Cookie:a=b: c"), "Cookie: ...");
  EXPECT_EQ(WithoutSecret("header", "Authorization : Bearer abc"), "Authorization : ...");
  EXPECT_EQ(WithoutSecret("header", "Authorization Bearer abc"), "...");
  EXPECT_EQ(WithoutSecret("header", "accept-language: de"), "accept-language: de");
  EXPECT_EQ(WithoutSecret("header", "From: me@a.test"), "From: me@a.test");
}

TEST(SecretSettingsTest, OfAProxyThePasswordIsLeftOut) {
  EXPECT_EQ(WithoutSecret("proxy", "http://me:abc@p.test:1"), "http://me:...@p.test:1");
  EXPECT_EQ(WithoutSecret("proxy", "me:a@b:c@p.test"), "me:...@p.test");
  EXPECT_EQ(WithoutSecret("proxy", "me:a://b@p.test"), "me:...@p.test");
  EXPECT_EQ(WithoutSecret("proxy", "http:/me:abc@p.test"), "http:...@p.test");
  EXPECT_EQ(WithoutSecret("proxy", "socks5h://p.test:1080"), "socks5h://p.test:1080");
}

TEST(SecretSettingsTest, AllOthersAreAsTheyAre) {
  EXPECT_EQ(WithoutSecret("contact", "me:abc@a.test"), "me:abc@a.test");
}

}  // namespace
}  // namespace opic::cli
