// What an HTTP answer means (RFC 9309 section 2.3.1), and the stored form of a verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "robots/robots.h"

namespace opic::robots {
namespace {

// Section 2.3.1.1.
TEST(AccessTest, SuccessHoldsTheRules) { EXPECT_EQ(AccessOf(200), Access::kParse); }

// Section 2.3.1.2.
TEST(AccessTest, RedirectsAreFollowed) {
  for (int status : {301, 302, 303, 307, 308}) EXPECT_EQ(AccessOf(status), Access::kRedirect);
}

// Section 2.3.1.3.
TEST(AccessTest, UnavailableAllowsAll) {
  for (int status : {400, 401, 403, 404, 410, 429, 499}) {
    EXPECT_EQ(AccessOf(status), Access::kAllowAll) << status;
  }
}

// Section 2.3.1.4; an answer that is none is unreachable too.
TEST(AccessTest, UnreachableDisallowsAll) {
  for (int status : {500, 503, 599, 600, 100, 0, -1}) {
    EXPECT_EQ(AccessOf(status), Access::kDisallowAll) << status;
  }
}

TEST(VerdictTest, AllowAllAndDisallowAllAreWhatTheySay) {
  EXPECT_TRUE(Robots::AllowAll().Allows("/a"));
  EXPECT_TRUE(Robots::AllowAll().Allows(""));
  EXPECT_FALSE(Robots::DisallowAll().Allows("/a"));
  EXPECT_FALSE(Robots::DisallowAll().Allows(""));
}

class StoredVerdictTest : public testing::Test {
 protected:
  const Robots robots_ = Robots::Parse(
      "user-agent: *\ndisallow: /a*b$\nallow: /abbbb\ncrawl-delay: 0.5\nsitemap: http://h/s\n",
      "opic");
};

TEST_F(StoredVerdictTest, ComesBackAsItWas) {
  const std::optional<Robots> back = Robots::Decode(robots_.Encode());
  ASSERT_TRUE(back.has_value());
  EXPECT_FALSE(back->Allows("/axb"));
  EXPECT_TRUE(back->Allows("/abbbb"));
  EXPECT_EQ(back->crawl_delay(), absl::Milliseconds(500));
  EXPECT_THAT(back->sitemaps(), testing::ElementsAre("http://h/s"));
  EXPECT_EQ(back->Encode(), robots_.Encode());
}

TEST_F(StoredVerdictTest, NoDelayAndZeroDelayAreDifferent) {
  const Robots zero = Robots::Parse("user-agent: *\ncrawl-delay: 0", "opic");
  EXPECT_EQ(Robots::Decode(zero.Encode())->crawl_delay(), absl::ZeroDuration());
  EXPECT_EQ(Robots::Decode(Robots::AllowAll().Encode())->crawl_delay(), std::nullopt);
}

TEST_F(StoredVerdictTest, ChangedBytesAreRefused) {
  const std::string bytes = robots_.Encode();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] ^= 1;
    EXPECT_FALSE(Robots::Decode(changed).has_value()) << i;
    EXPECT_FALSE(Robots::Decode(bytes.substr(0, i)).has_value()) << i;
  }
  EXPECT_FALSE(Robots::Decode(bytes + '\0').has_value());
}

}  // namespace
}  // namespace opic::robots
