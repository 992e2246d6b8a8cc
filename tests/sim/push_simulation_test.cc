#include "sim/push_simulation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "graph/power_law.h"
#include "sim/late_post.h"
#include "sim/push_truth.h"

namespace opic::sim {
namespace {

class PushOverWeb : public ::testing::Test {
 protected:
  void SetUp() override {
    for (uint32_t page = 0; page < graph_.pages(); ++page) bank().Birth(page);
    for (uint32_t page = 0; page < graph_.pages(); ++page) bank().Learn(page, graph_.LinksOf(page));
  }
  PushBank& bank() { return push_.bank(); }
  // |C| over all bases.
  double Waiting() {
    return static_cast<double>(bank().read_cash_size()) / static_cast<double>(bank().base_sum());
  }

  const graph::Graph graph_ = graph::PowerLawGraph(600, base::Rng(9));
  PushSimulation push_{600, {}};
};

TEST_F(PushOverWeb, ComesToRestAtTheExactImportanceAndStaysThere) {
  const uint64_t settled = push_.Settle(1'000'000);
  EXPECT_LT(settled, 600u * 60);
  EXPECT_EQ(bank().read_cash_size(), 0);
  EXPECT_EQ(push_.Settle(10), 0u);
  EXPECT_LT(ErrorOf(bank()).mean_percent, 1e-4);
  EXPECT_EQ(bank().visits(), settled);
}

TEST_F(PushOverWeb, SettlesNoMoreThanAskedFor) {
  EXPECT_EQ(push_.Settle(100), 100u);
  EXPECT_EQ(bank().visits(), 100u);
  EXPECT_EQ(push_.SettleTo(0.03, 50), 50u);
}

TEST_F(PushOverWeb, SettlesOnDemandUntilLittleIsLeft) {
  EXPECT_GT(push_.SettleTo(0.03, 1'000'000), 0u);
  EXPECT_LE(Waiting(), 0.03);
  EXPECT_EQ(push_.SettleTo(0.03, 1'000'000), 0u);
}

// Taking links away leaves debts, which have to be settled as cash is.
TEST_F(PushOverWeb, SettlesDebtsToo) {
  push_.Settle(1'000'000);
  uint32_t linked = 0;
  while (graph_.LinksOf(linked).empty()) ++linked;
  const uint32_t target = graph_.LinksOf(linked)[0];
  bank().Visit(linked, {});
  EXPECT_LT(bank().CashOf(target), 0);
  push_.Settle(1'000'000);
  EXPECT_EQ(bank().CashOf(target), 0);
  EXPECT_LT(ErrorOf(bank()).mean_percent, 1e-4);
}

TEST_F(PushOverWeb, CreditsThatComeLateComeAllTheSame) {
  LatePost post(bank(), 10);
  bank().set_post(&post);
  for (int visit = 0; visit < 40'000; ++visit) push_.Settle(1), post.Tick();
  EXPECT_LT(ErrorOf(bank()).mean_percent, 1e-4);
  EXPECT_EQ(bank().read_cash_size(), 0);
}

}  // namespace
}  // namespace opic::sim
