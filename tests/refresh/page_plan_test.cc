// What a row keeps of a page's plan (docs/formats/page_plan.md).
#include "refresh/page_plan.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"

namespace opic::refresh {
namespace {

PagePlan SomePlan() {
  PagePlan plan;
  plan.due = 1'800'000'000;
  plan.weight = RefreshWeight::FromCode(4000);
  plan.category = Category::kFeed;
  plan.in_group = true;
  plan.changes.Observe({.fetched = absl::FromUnixSeconds(1'700'000'000),
                        .last_change = absl::FromUnixSeconds(1'700'000'000 - 3)});
  return plan;
}

TEST(PagePlanTest, IsReadBack) {
  const PagePlan plan = SomePlan();
  const std::string bytes = plan.Encode();
  EXPECT_LE(bytes.size(), PagePlan::kEncodedBytesMax);
  EXPECT_EQ(PagePlan::Decode(bytes), plan);
  EXPECT_EQ(PagePlan::Decode(PagePlan().Encode()), PagePlan());
}

TEST(PagePlanTest, HasTheBytesOfTheFormat) {
  EXPECT_EQ(absl::BytesToHexString(SomePlan().Encode()), "a080a4a7da06a01f0800803f004040");
}

// Plans of earlier releases have none.
TEST(PagePlanTest, KeepsTheRateThatItWasMadeWith) {
  PagePlan plan = SomePlan();
  plan.rate = RoundedRate::Of(1.0 / 4096);
  EXPECT_EQ(plan.rate.value(), 1.0 / 4096);
  const std::string bytes = plan.Encode();
  EXPECT_EQ(absl::BytesToHexString(bytes), "a080a4a7da06a01f0800803f004040811a");
  EXPECT_EQ(PagePlan::Decode(bytes), plan);
  EXPECT_FALSE(PagePlan::Decode(bytes.substr(0, bytes.size() - 1)));
  EXPECT_FALSE(PagePlan::Decode(bytes + '\0'));
  const std::string none = SomePlan().Encode();
  EXPECT_FALSE(PagePlan::Decode(none + absl::HexStringToBytes("8140"))) << "above all codes";
  EXPECT_EQ(RoundedRate::Of(0).code(), 0);
  EXPECT_NEAR(RoundedRate::Of(0.01).value(), 0.01, 0.0001);
  EXPECT_EQ(RoundedRate::Of(1e-300).code(), 1);
  EXPECT_EQ(RoundedRate::Of(1e300).code(), RefreshWeight::kCodes);
}

TEST(PagePlanTest, WhatIsCutOffOrLongerIsRefused) {
  const std::string bytes = SomePlan().Encode();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(PagePlan::Decode(bytes.substr(0, size))) << size;
  EXPECT_FALSE(PagePlan::Decode(bytes + '\0'));
}

TEST(PagePlanTest, WhatCannotBeIsRefused) {
  PagePlan plan;
  plan.losses = PagePlan::kLossesMax + 1;
  EXPECT_FALSE(PagePlan::Decode(plan.Encode()));
  EXPECT_FALSE(PagePlan::Decode("\x60" + PagePlan().Encode().substr(1))) << "a category too many";
  std::string weight(1, '\0');                        // losses
  weight += std::string(1, '\1');                     // due
  weight += absl::HexStringToBytes("ffff7f") + '\0';  // a weight above all codes
  EXPECT_FALSE(PagePlan::Decode(weight));
}

TEST(PagePlanTest, APageThatIsGoneIsTriedEverMoreRarelyAndThenForgotten) {
  const absl::Time fetched = absl::FromUnixSeconds(1'700'000'000);
  const int64_t day = 86'400;
  EXPECT_EQ(DueAfterLoss(fetched, 1), 1'700'000'000 + day);
  EXPECT_EQ(DueAfterLoss(fetched, 2), 1'700'000'000 + 2 * day);
  EXPECT_EQ(DueAfterLoss(fetched, 7), 1'700'000'000 + 64 * day);
  EXPECT_EQ(DueAfterLoss(fetched, 8), PagePlan::kNever);
}

}  // namespace
}  // namespace opic::refresh
