#include "base/reason.h"

#include <gtest/gtest.h>

#include "base/status_macros.h"

namespace opic::base {
namespace {

TEST(ReasonTest, TravelsWithTheStatus) {
  const absl::Status refused =
      WithReason(absl::PermissionDeniedError("no"), "ROLE_NEEDED", {{"role", "reader"}, {"", ""}});
  EXPECT_EQ(refused.message(), "no");
  const std::optional<Reason> reason = ReasonOf(WithContext(refused, "asking"));
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->word, "ROLE_NEEDED");
  EXPECT_EQ(reason->facts, (std::map<std::string, std::string>{{"role", "reader"}, {"", ""}}));
  EXPECT_EQ(ReasonOf(WithReason(refused, "OTHER"))->word, "OTHER");
  EXPECT_FALSE(ReasonOf(absl::NotFoundError("")));
  EXPECT_FALSE(ReasonOf(absl::OkStatus()));
}

}  // namespace
}  // namespace opic::base
