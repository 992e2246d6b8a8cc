// The proxy is taken from a setting or from a file, and never shown when it is none.
#include "cli/proxy_flag.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/own_path.h"

namespace opic::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string FileOf(const std::string& text) {
  const std::string path = support::OwnPath("proxy");
  EXPECT_TRUE(base::WriteFileDurably(path, text).ok());
  return path;
}

TEST(ProxyFlagTest, ItIsGivenOrStandsInAFile) {
  EXPECT_EQ(ProxyOf("", "").value(), "");
  EXPECT_EQ(ProxyOf("http://127.0.0.1:3128", "").value(), "http://127.0.0.1:3128");
  EXPECT_EQ(ProxyOf("", FileOf("\xef\xbb\xbf socks5h://u:secret@p.test:1080 \r\n")).value(),
            "socks5h://u:secret@p.test:1080");
}

TEST(ProxyFlagTest, WhatIsNoProxyIsRefusedAndNotShown) {
  for (const std::string text : {"", "sock5://u:secret@p.test:1", "http://u:...@p.test:1",
                                 "http://u:secret@p.test:1\nhttp://u:secret@q.test:1"}) {
    const absl::Status refused = ProxyOf("", FileOf(text)).status();
    EXPECT_TRUE(absl::IsInvalidArgument(refused)) << text;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("--proxy-file"));
    EXPECT_THAT(std::string(refused.message()), Not(HasSubstr("secret")));
  }
  EXPECT_THAT(std::string(ProxyOf("", "/nonexistent/file").status().message()),
              HasSubstr("--proxy-file"));
  EXPECT_FALSE(ProxyOf("http://p.test:1", FileOf("http://p.test:1")).ok()) << "both are given";
}

}  // namespace
}  // namespace opic::cli
