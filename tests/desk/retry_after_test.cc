// Retry-After (RFC 9110 section 10.2.3).
#include <gtest/gtest.h>

#include "desk/page_answer.h"

namespace opic::desk {
namespace {

class RetryAfterTest : public testing::Test {
 protected:
  absl::Duration From(const std::string& value) const { return RetryAfter(value, now_); }

  const absl::Time now_ = absl::FromUnixSeconds(1'784'100'000);  // 2026-07-15 07:20:00
};

TEST_F(RetryAfterTest, Seconds) {
  EXPECT_EQ(From("120"), absl::Seconds(120));
  EXPECT_EQ(From("0"), absl::ZeroDuration());
}

TEST_F(RetryAfterTest, AllFormsOfADate) {
  for (const char* date : {"Wed, 15 Jul 2026 07:21:40 GMT", "Wednesday, 15-Jul-26 07:21:40 GMT",
                           "Wed Jul 15 07:21:40 2026"}) {
    EXPECT_EQ(From(date), absl::Seconds(100)) << date;
  }
  EXPECT_EQ(From("Sat Aug  1 07:20:00 2026"), absl::Hours(17 * 24));
}

TEST_F(RetryAfterTest, ADateThatIsOverAsksForNothing) {
  for (const char* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994"}) {
    EXPECT_EQ(From(date), absl::ZeroDuration()) << date;
  }
}

TEST_F(RetryAfterTest, ForEverIsAYear) {
  const absl::Duration year = absl::Hours(366 * 24);
  EXPECT_EQ(From("99999999999999999999"), year);
  EXPECT_EQ(From("9223372036854775807"), year);
  EXPECT_EQ(From("Fri, 31 Dec 9999 23:59:59 GMT"), year);
}

TEST_F(RetryAfterTest, SenselessAsksForNothing) {
  for (const char* value : {"", "-5", "+5", "soon", "12 s", "1e9", "Wed, 15 Jul 2026"}) {
    EXPECT_EQ(From(value), absl::ZeroDuration()) << value;
  }
}

}  // namespace
}  // namespace opic::desk
