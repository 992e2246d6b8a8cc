#include "cash/split.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace opic::cash {
namespace {

TEST(SplitTest, NothingIsLostWhateverTheAmountLinksAndEpsilon) {
  base::Rng rng(1);
  for (int i = 0; i < 10'000; ++i) {
    const Amount paid(rng.Below(kSupply.units() + 1) >> rng.Below(60));
    const uint64_t links = 1 + rng.Below(10'000);
    const Split split = SplitCash(paid, links, SmallEdge{static_cast<uint32_t>(rng())});
    EXPECT_EQ(split.virtual_share + Amount(split.per_link.units() * links), paid);
  }
}

TEST(SplitTest, PageWithoutLinksPaysAllToTheVirtualPage) {
  const Split split = SplitCash(Amount(1000), 0, SmallEdge());
  EXPECT_EQ(split.virtual_share, Amount(1000));
  EXPECT_EQ(split.per_link, Amount());
}

TEST(SplitTest, VirtualPageTakesEpsilonAndTheRemainder) {
  const Split split = SplitCash(Amount(1000), 3, SmallEdge::FromShare(0.25));
  EXPECT_EQ(split.per_link, Amount(250));
  EXPECT_EQ(split.virtual_share, Amount(250));
  EXPECT_EQ(SplitCash(Amount(1001), 3, SmallEdge::FromShare(0.25)).virtual_share, Amount(251));
}

TEST(SplitTest, MoreLinksThanUnitsPayNothingAndLoseNothing) {
  const Split split = SplitCash(Amount(5), 100, SmallEdge::FromShare(0));
  EXPECT_EQ(split.per_link, Amount());
  EXPECT_EQ(split.virtual_share, Amount(5));
}

TEST(SmallEdgeTest, DefaultIsFifteenPercent) {
  EXPECT_EQ(SmallEdge::FromShare(0.15), SmallEdge());
  EXPECT_NEAR(SmallEdge().share(), 0.15, 1e-9);
}

TEST(SmallEdgeTest, SharesOutsideZeroToOneAreClamped) {
  EXPECT_EQ(SmallEdge::FromShare(-1).parts, 0u);
  EXPECT_EQ(SmallEdge::FromShare(2).parts, ~uint32_t{0});
}

}  // namespace
}  // namespace opic::cash
