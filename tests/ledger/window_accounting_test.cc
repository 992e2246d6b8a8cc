// When the paper's windows have settled (src/ledger/window_accounting.h). How visits pay is told by
// visit_test.cc.
#include "ledger/window_accounting.h"

#include <gtest/gtest.h>

namespace opic::ledger {
namespace {

// Node 0 of two. All clocks are told by the peer; its window is a twentieth of the supply.
class WindowAccountingTest : public testing::Test {
 protected:
  static Charter TwoNodes() {
    Charter charter;
    charter.shards = 4;
    charter.window.supplies = 0.05;
    return charter;
  }
  // G, the last fetch and the origin in hundredths of the supply.
  void Tell(int clock, int fetch_clock, int origin, uint64_t unread = 0) {
    const cash::Sum hundredth = cash::kSupply.units() / 100;
    NodeSums sums;
    sums.clock = clock * hundredth;
    sums.fetch_clock = fetch_clock * hundredth;
    sums.origin = origin * hundredth;
    sums.pages = 10;
    sums.unread = unread;
    peers_.Hear(NodeId{1}, sums);
  }

  const Charter charter_ = TwoNodes();
  Books books_{4, cash::kSupply};
  Peers peers_{NodeId{0}, 2, 0, 1 << 20, importance::Method::kWindow};
  ClusterView view_{books_, peers_};
  WindowAccounting accounting_{charter_, {.nodes = 2}, view_};
};

TEST_F(WindowAccountingTest, ItSettlesUntilTheClockHasGrownByTheWindow) {
  Tell(14, 10, 0);
  EXPECT_FALSE(accounting_.Converged(0.01));
  EXPECT_NEAR(accounting_.Settled(0.01), 0.8, 1e-9);
  Tell(15, 10, 0);
  EXPECT_TRUE(accounting_.Converged(0.01));
}

TEST_F(WindowAccountingTest, ALaterOriginIsSettledFrom) {
  Tell(15, 10, 12);
  EXPECT_FALSE(accounting_.Converged(0.01));
}

// A peer fetched at a clock that the sums of others have not brought here yet.
TEST_F(WindowAccountingTest, AClockBehindThePeersHasNotConverged) {
  Tell(9, 10, 0);
  EXPECT_FALSE(accounting_.Converged(0.01));
  EXPECT_EQ(accounting_.Settled(0.01), 0);
}

TEST_F(WindowAccountingTest, BehindALimitNothingIsSettled) {
  Tell(12, 10, 0, /*unread=*/1);
  EXPECT_TRUE(accounting_.Converged(0.01));
}

// A crawl that had ended is given another seed: a new page's prior counted as if the window were
// whole, many even shares.
TEST_F(WindowAccountingTest, APageFoundAfterTheOriginIsWorthItsPriorAtMost) {
  Tell(14, 10, 12);
  const cash::Sum hundredth = cash::kSupply.units() / 100;
  PageRow row;
  row.prior = 0.001F;
  const auto estimate = [&] {
    return accounting_.Estimate(accounting_.Unvisited(row), cash::Amount());
  };
  row.stamp = 14 * hundredth;
  EXPECT_NEAR(estimate(), 0.001, 1e-9);
  row.stamp = 13 * hundredth;
  EXPECT_NEAR(estimate(), 0.0005, 1e-9) << "half of the window has passed since";
  row.stamp = 12 * hundredth;
  EXPECT_EQ(estimate(), 0);
}

}  // namespace
}  // namespace opic::ledger
