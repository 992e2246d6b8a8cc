// Loopback may be crawled without --contact, however its address is written.
#include "cli/contact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opic::cli {
namespace {

class ContactTest : public testing::Test {
 protected:
  absl::Status Required(const std::vector<std::string>& seeds) {
    options_ = {};
    options_.seeds = seeds;
    return RequireContact(flags_, options_);
  }
  CrawlFlags flags_;
  node::CrawlOptions options_;
};

// http://[::ffff:127.0.0.1]/ was asked for a contact.
TEST_F(ContactTest, LoopbackNeedsNone) {
  for (const char* seed : {"http://127.0.0.1/", "http://127.9.9.9:8123/a", "http://2130706433/",
                           "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/",
                           "http://[0:0:0:0:0:ffff:127.0.0.1]:81/"}) {
    EXPECT_TRUE(Required({seed}).ok()) << seed;
    EXPECT_TRUE(options_.fetch.loopback_only) << seed;
  }
}

TEST_F(ContactTest, EverythingElseDoes) {
  for (const auto& [seed, host] : std::vector<std::pair<std::string, std::string>>{
           {"http://10.0.0.1/", "10.0.0.1"},
           {"http://128.0.0.1/", "128.0.0.1"},
           {"http://[2001:4860::1]/", "[2001:4860::1]"},
           {"http://[::ffff:10.0.0.1]/", "[::ffff:a00:1]"},
           {"http://[64:ff9b::127.0.0.1]/", "[64:ff9b::7f00:1]"}}) {
    const absl::Status status = Required({"http://127.0.0.1/", seed});
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << seed;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("to crawl " + host + ":"));
  }
}

TEST_F(ContactTest, WithOneNothingIsAskedAndAllMayBeCrawled) {
  flags_.contact = "me@example.org";
  EXPECT_TRUE(Required({"http://10.0.0.1/", "http://[2001:4860::1]/"}).ok());
  EXPECT_FALSE(options_.fetch.loopback_only);
}

}  // namespace
}  // namespace opic::cli
