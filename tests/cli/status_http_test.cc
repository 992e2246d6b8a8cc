#include "cli/status_http.h"

#include <gtest/gtest.h>

namespace opic::cli {
namespace {

TEST(LedgerWatchTest, SilentIsWhoTakesNoTime) {
  LedgerWatch watch;
  const absl::Time begin = absl::FromUnixSeconds(1'000'000);
  EXPECT_EQ(watch.Silence(absl::Microseconds(5), begin), absl::ZeroDuration());
  EXPECT_EQ(watch.Silence(absl::Microseconds(6), begin + absl::Seconds(9)), absl::ZeroDuration());
  EXPECT_EQ(watch.Silence(absl::Microseconds(6), begin + absl::Seconds(50)), absl::Seconds(41));
  EXPECT_EQ(watch.Silence(absl::Microseconds(7), begin + absl::Seconds(51)), absl::ZeroDuration());
}

TEST(StatusHttpTest, WithoutAnAddressNobodyListens) {
  const auto nobody = StatusHttp::Start("");
  ASSERT_TRUE(nobody.ok());
  (*nobody)->Stopping();
  EXPECT_TRUE(CheckHttp("").ok());
  EXPECT_TRUE(CheckHttp("0").ok());
  EXPECT_TRUE(absl::IsInvalidArgument(CheckHttp(":80")));
  EXPECT_TRUE(absl::IsInvalidArgument(StatusHttp::Start("here:80").status()));
}

}  // namespace
}  // namespace opic::cli
