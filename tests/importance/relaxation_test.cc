// How much more than its cash a settled page pays (src/importance/relaxation.h): that it is paid
// back, that it is worth it, and that no graph makes cash grow.
#include "importance/relaxation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/rng.h"

namespace opic::importance {
namespace {

using Links = std::vector<std::vector<size_t>>;

constexpr int64_t kBase = 10'000'000;
constexpr size_t kVisitsAGroup = 16;
constexpr uint64_t kEver = 1'000'000;

enum class How { kPlainly, kAhead };

// Pages that settle each other, those with much cash first, as the ledger does it: a group takes
// the cash of its pages, and then pays.
class Settling {
 public:
  Settling(Links links, How how, cash::SmallEdge epsilon = {})
      : links_(std::move(links)),
        how_(how),
        epsilon_(epsilon),
        relaxation_(epsilon),
        cash_(links_.size(), kBase) {
    relaxation_.GroupEnds(Held());
  }

  size_t pages() const { return cash_.size(); }
  Relaxation& relaxation() { return relaxation_; }
  cash::Sum Held() const {
    cash::Sum held = 0;
    for (int64_t cash : cash_) held += std::abs(cash);
    return held;
  }

  // Settles until a thousandth of the cash is left. How many visits that takes; kEver: too many.
  uint64_t Visits() {
    const cash::Sum goal = Held() / 1000;
    uint64_t visits = 0;
    for (int64_t floor = kBase; Held() > goal && visits < kEver;) {
      const uint64_t before = visits;
      for (size_t n = 0; n < pages();) visits += SettleGroup(n, floor, kVisitsAGroup);
      if (visits - before < pages() / 12) floor = floor * 9 / 10;
    }
    return visits;
  }
  // Of the next pages from `n` on, those with so much cash. How many they were.
  uint64_t SettleGroup(size_t& n, int64_t floor, size_t most) {
    std::vector<int64_t> credits(pages());
    uint64_t visits = 0;
    for (; n < pages() && visits < most; ++n) {
      if (std::abs(cash_[n]) < floor) continue;
      ++visits;
      Settle(n, credits);
    }
    for (size_t i = 0; i < pages(); ++i) cash_[i] += credits[i];
    relaxation_.GroupEnds(Held());
    return visits;
  }

 private:
  void Settle(size_t n, std::vector<int64_t>& credits) {
    const cash::Amount taken(cash_[n]);
    cash::Amount beyond = relaxation_.Beyond(taken, !links_[n].empty());
    if (how_ == How::kPlainly) beyond = cash::Amount();
    const double paid = (1 - epsilon_.share()) * static_cast<double>((taken + beyond).units());
    cash_[n] = 0;
    credits[n] -= beyond.units();
    for (size_t to : links_[n])
      credits[to] += static_cast<int64_t>(paid / static_cast<double>(links_[n].size()));
  }

  const Links links_;
  const How how_;
  const cash::SmallEdge epsilon_;
  Relaxation relaxation_;
  std::vector<int64_t> cash_;
};

// Circles of so many pages, each of which links to the next one.
Links Circles(size_t pages, size_t around) {
  Links links(pages);
  for (size_t n = 0; n < pages; ++n) links[n] = {n / around * around + (n + 1) % around};
  return links;
}

// Pages of a site: they link to its first pages, to neighbours, and anywhere; a third links
// nowhere.
Links Site(size_t pages, uint64_t seed) {
  base::Rng rng(seed);
  Links links(pages);
  for (size_t n = 0; n < pages; ++n) {
    if (n % 3 == 2) continue;
    for (size_t k = 0; k < 6; ++k) links[n].push_back(rng.Below(1 + rng.Below(pages)));
    links[n].push_back(n + 1 < pages ? n + 1 : 0);
    if (n > 0) links[n].push_back(n - 1);
  }
  return links;
}

TEST(RelaxationTest, ASiteSettlesInFewerVisits) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Settling ahead(Site(900, seed), How::kAhead);
    const uint64_t visits = ahead.Visits();
    EXPECT_LT(visits, Settling(Site(900, seed), How::kPlainly).Visits() * 4 / 5) << seed;
    EXPECT_EQ(ahead.relaxation().excess(), Relaxation::kExcessMax) << seed;
  }
}

// The debts that a round leaves behind are paid by a wave that has grown meanwhile.
TEST(RelaxationTest, NoCircleMakesCashGrow) {
  for (const size_t around : {2, 3, 4, 5, 6, 9, 30, 900}) {
    Settling ahead(Circles(900, around), How::kAhead);
    const uint64_t visits = ahead.Visits();
    EXPECT_LT(visits, 2 * Settling(Circles(900, around), How::kPlainly).Visits()) << around;
  }
}

TEST(RelaxationTest, WhereNothingIsMeasuredEachVisitLeavesLess) {
  for (const double epsilon : {0.01, 0.15, 0.5}) {
    for (const Links& links : {Circles(60, 5), Circles(60, 2), Site(60, 7)}) {
      Settling settling(links, How::kAhead, cash::SmallEdge::FromShare(epsilon));
      for (uint64_t visit = 0; visit < 3000; ++visit) {
        const cash::Sum before = settling.Held();
        settling.relaxation().DoesMore();
        size_t n = visit * 7 % settling.pages();
        settling.SettleGroup(n, 0, 1);
        ASSERT_LE(settling.Held(), before) << "epsilon " << epsilon << ", visit " << visit;
      }
      EXPECT_EQ(settling.relaxation().excess(), Relaxation::kExcessMax) << "nothing is measured";
    }
  }
}

TEST(RelaxationTest, ADebtIsPaidAheadLikeCash) {
  Relaxation relaxation{cash::SmallEdge()};
  const cash::Amount beyond = relaxation.Beyond(cash::Amount(1000), true);
  EXPECT_EQ(beyond.units(), 199);
  EXPECT_EQ(relaxation.Beyond(cash::Amount(-1000), true).units(), -199);
  EXPECT_EQ(relaxation.Beyond(cash::Amount(1000), false).units(), 0) << "it pays nobody";
  const int64_t half = cash::kSupply.units() / 2;
  EXPECT_GT(relaxation.Beyond(cash::Amount(half), true).units(), half / 6);
  EXPECT_EQ(relaxation.Beyond(cash::kHoldingMax, true).units(), 0) << "a page has no room for it";
}

class MeasuredTest : public testing::Test {
 protected:
  MeasuredTest() { relaxation_.GroupEnds(held_); }
  // A group settles so much, and then the node holds `left`.
  void Settle(int64_t settled, cash::Sum left, cash::Sum brought = 0) {
    relaxation_.Beyond(cash::Amount(settled), true);
    relaxation_.GroupEnds(held_ = left, brought);
  }
  void SettleAll(cash::Sum left) { Settle(static_cast<int64_t>(held_), left); }

  cash::Sum held_ = 1000;
  Relaxation relaxation_{cash::SmallEdge()};
  const int64_t best_ = Relaxation::kExcessMax;
};

// Of 1,000 units 150 are sure to go.
TEST_F(MeasuredTest, WhatLeavesMoreThanPlainVisitsIsGivenUp) {
  SettleAll(840);
  EXPECT_EQ(relaxation_.excess(), best_);
  SettleAll(840);
  EXPECT_EQ(relaxation_.excess(), best_ / 2);
}

TEST_F(MeasuredTest, ItIsJudgedWhenAsMuchWasSettledAsThereWas) {
  Settle(600, 2000);
  Settle(399, 2000);
  EXPECT_EQ(relaxation_.excess(), best_) << "debts of the first half may be paid by the second";
  Settle(1, 2000);
  EXPECT_EQ(relaxation_.excess(), best_ / 2);
  Settle(1999, 2000);
  EXPECT_EQ(relaxation_.excess(), best_ / 2) << "it begins anew, with what there is now";
  Settle(1, 2000);
  EXPECT_EQ(relaxation_.excess(), best_ / 4);
}

TEST_F(MeasuredTest, WhatWentToPeersIsStillThere) {
  Settle(1000, 340, -500);
  EXPECT_EQ(relaxation_.excess(), best_);
  Settle(340, 100, -200);
  EXPECT_EQ(relaxation_.excess(), best_ / 2);
}

TEST_F(MeasuredTest, WhatPeersBroughtIsNotItsDoing) {
  Settle(1000, 1340, 500);
  EXPECT_EQ(relaxation_.excess(), best_);
  Settle(1340, 1650, 500);
  EXPECT_EQ(relaxation_.excess(), best_ / 2);
}

TEST_F(MeasuredTest, AGroupThatDoesMoreTellsNothing) {
  relaxation_.DoesMore();
  Settle(1000, 5000);
  relaxation_.GroupEnds(held_ = 6000);  // it settles nothing
  SettleAll(5000);
  EXPECT_EQ(relaxation_.excess(), best_);
}

TEST_F(MeasuredTest, WhatWasThereBeforeTheFirstGroupIsNotItsDoing) {
  Relaxation opened{cash::SmallEdge()};
  opened.Beyond(cash::Amount(10), true);
  opened.GroupEnds(1000);
  EXPECT_EQ(opened.excess(), best_);
}

TEST_F(MeasuredTest, ItGrowsAgainWhereItIsWorthIt) {
  for (int i = 0; i < 20; ++i) SettleAll(held_ + 1000);
  EXPECT_EQ(relaxation_.excess(), Relaxation::kOne / 128);
  for (int i = 0; i < 20; ++i) SettleAll(held_ * 4 / 5);
  EXPECT_EQ(relaxation_.excess(), best_);
  SettleAll(held_ * 4 / 5);
  EXPECT_EQ(relaxation_.excess(), best_) << "and no further";
}

}  // namespace
}  // namespace opic::importance
