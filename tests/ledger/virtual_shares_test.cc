#include "ledger/virtual_shares.h"

#include <gtest/gtest.h>

namespace opic::ledger {
namespace {

constexpr NodeId kSelf{1};

uint64_t Owed(const VirtualShares& shares, uint16_t peer) {
  return shares.owed(NodeId{peer}).units();
}

TEST(VirtualShares, WithoutPeersNothingIsReserved) {
  VirtualShares shares(NodeId{0}, 1);
  shares.Opened(cash::kSupply);
  shares.Earned(cash::Amount(100));
  EXPECT_EQ(shares.reserved(), cash::Amount());
}

TEST(VirtualShares, EarningsAreOwedByPages) {
  VirtualShares shares(kSelf, 3);
  shares.Earned(cash::Amount(1000));
  EXPECT_EQ(shares.reserved(), cash::Amount(1000)) << "nobody's yet";
  shares.Share({50, 40, 10});
  EXPECT_EQ(Owed(shares, 0), 500u);
  EXPECT_EQ(Owed(shares, 1), 0u) << "the own share is free to be paid";
  EXPECT_EQ(Owed(shares, 2), 100u);
  EXPECT_EQ(shares.reserved(), cash::Amount(600));
  shares.Share({50, 40, 10});
  EXPECT_EQ(shares.reserved(), cash::Amount(600)) << "once";
}

TEST(VirtualShares, WhatIsOwedGathersUntilItIsPaid) {
  VirtualShares shares(kSelf, 2);
  for (int i = 0; i < 3; ++i) {
    shares.Earned(cash::Amount(10));
    shares.Share({1, 1});
  }
  EXPECT_EQ(Owed(shares, 0), 15u);
  shares.Paid(NodeId{0}, cash::Amount(9));
  EXPECT_EQ(Owed(shares, 0), 6u);
  EXPECT_EQ(shares.reserved(), cash::Amount(6));
}

TEST(VirtualShares, BeforeThereArePagesEverythingWaits) {
  VirtualShares shares(kSelf, 2);
  shares.Earned(cash::Amount(10));
  shares.Share({0, 0});
  EXPECT_EQ(shares.reserved(), cash::Amount(10));
  shares.Share({0, 3});
  EXPECT_EQ(shares.reserved(), cash::Amount(0));
}

TEST(VirtualShares, TheOpeningCashIsReleasedToTheLastUnit) {
  VirtualShares shares(kSelf, 2);
  shares.Opened(cash::kSupply);
  shares.Share({3, 1});
  EXPECT_EQ(Owed(shares, 0), 0u);
  shares.ReleaseHalf();
  shares.Share({3, 1});
  EXPECT_EQ(Owed(shares, 0), cash::kSupply.units() / 2 / 4 * 3);
  for (int i = 0; i < 64; ++i) shares.ReleaseHalf();
  shares.Share({1, 0});
  EXPECT_EQ(shares.reserved(), shares.owed(NodeId{0}));
}

TEST(VirtualShares, TheLargestNumbersDoNotOverflow) {
  VirtualShares shares(kSelf, 2);
  shares.Earned(cash::kSupply);
  shares.Share({uint64_t{1} << 50, uint64_t{1} << 50});
  EXPECT_EQ(Owed(shares, 0), cash::kSupply.units() / 2);
}

}  // namespace
}  // namespace opic::ledger
