#include "cluster/levelling.h"

#include <gtest/gtest.h>

namespace opic::cluster {
namespace {

constexpr NodeId kA{0}, kB{1}, kC{2};
constexpr cash::Amount kPlenty{1'000'000};

TEST(Levelling, HalfOfTheExcessGoesToTheNeediest) {
  const std::vector<VirtualHolding> holdings = {
      {kA, cash::Amount(900), 10}, {kB, cash::Amount(0), 10}, {kC, cash::Amount(0), 20}};
  // Shares 225, 225, 450.
  EXPECT_EQ(LevelOf(kA, holdings, kPlenty), (Levelling{kC, cash::Amount(337)}));
}

TEST(Levelling, NobodyGetsMoreThanItLacks) {
  const std::vector<VirtualHolding> holdings = {
      {kA, cash::Amount(900), 10}, {kB, cash::Amount(0), 10}, {kC, cash::Amount(0), 10}};
  EXPECT_EQ(LevelOf(kA, holdings, kPlenty)->amount, cash::Amount(300));
  EXPECT_EQ(LevelOf(kA, holdings, cash::Amount(7))->amount, cash::Amount(7));
}

TEST(Levelling, ATenthOverTheShareIsLeftAlone) {
  const std::vector<VirtualHolding> holdings = {{kA, cash::Amount(1100), 10},
                                                {kB, cash::Amount(900), 10}};
  EXPECT_EQ(LevelOf(kA, holdings, kPlenty), std::nullopt);
  EXPECT_EQ(LevelOf(kB, holdings, kPlenty), std::nullopt);
}

TEST(Levelling, WhoCannotBeReachedIsPassedOver) {
  const std::vector<VirtualHolding> holdings = {
      {kA, cash::Amount(900), 10}, {kB, cash::Amount(0), 10, false}, {kC, cash::Amount(100), 10}};
  EXPECT_EQ(LevelOf(kA, holdings, kPlenty)->to, kC);
}

TEST(Levelling, BeforeThereArePagesNothingIsPaid) {
  EXPECT_EQ(LevelOf(kA, {{kA, kPlenty, 0}, {kB, cash::Amount(0), 0}}, kPlenty), std::nullopt);
}

TEST(Levelling, TheLargestNumbersDoNotOverflow) {
  const uint64_t pages = (uint64_t{1} << 50) - 1;
  std::vector<VirtualHolding> holdings(1000, {kB, cash::kSupply, pages});
  for (uint16_t n = 0; n < holdings.size(); ++n) holdings[n].node = NodeId{n};
  holdings[7].cash = cash::Amount();
  EXPECT_EQ(LevelOf(kA, holdings, cash::kSupply), std::nullopt);
  holdings[0].pages = 0;
  EXPECT_EQ(LevelOf(kA, holdings, cash::kSupply)->to, NodeId{7});
}

}  // namespace
}  // namespace opic::cluster
