#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "sim/experiment.h"
#include "sim/refresh_simulation.h"

namespace opic::sim {
namespace {

constexpr uint32_t kPages = 3000;

RefreshFigures After(double cycles, const RefreshScenario& scenario) {
  RefreshSimulation web(kPages, 1, scenario);
  web.Run(cycles);
  return web.Run(8);
}

double Above(const RefreshFigures& figures) { return figures.cost / figures.optimum - 1; }

TEST(RefreshSimulation, CostsTheOptimumAndUsesTheBandwidthWithKnownRates) {
  const RefreshFigures figures = After(4, {});
  EXPECT_LT(std::abs(Above(figures)), 0.005);
  EXPECT_NEAR(figures.planned, figures.optimum, 0.001 * figures.optimum);
  EXPECT_GT(figures.bandwidth, 0.995);
}

// The order of the thesis's motives: rules that look at one of w and the rate are worse than (3.7),
// a rule that looks at none is worse still.
TEST(RefreshSimulation, RanksTheRules) {
  const double uniform = Above(After(4, {.rule = RefreshRule::kUniform})),
               by_rate = Above(After(4, {.rule = RefreshRule::kByRate})),
               by_importance = Above(After(4, {.rule = RefreshRule::kByImportance}));
  EXPECT_GT(uniform, by_rate);
  EXPECT_GT(uniform, by_importance);
  EXPECT_GT(std::min(by_rate, by_importance), 0.5);
}

TEST(RefreshSimulation, LearnsRatesWhileItRefreshes) {
  for (const auto& [knowledge, above] : {std::pair{RateKnowledge::kExistence, 0.06},
                                         {RateKnowledge::kBoth, 0.045},
                                         {RateKnowledge::kDates, 0.025}}) {
    const RefreshFigures figures = After(24, {.knowledge = knowledge});
    EXPECT_LT(Above(figures), above);
    EXPECT_GT(figures.bandwidth, 0.995);
  }
}

// The group learns how rates lie, and pages keep bounded statistics: that costs nothing against an
// estimator that is told the former and keeps every interval.
TEST(RefreshSimulation, KnowsAllThatExistenceOfChangeTells) {
  const refresh::ChangeMemory all = refresh::ChangeMemory::Unlimited();
  const double ours = Above(After(24, {.knowledge = RateKnowledge::kExistence, .memory = all})),
               exact = Above(After(24, {.knowledge = RateKnowledge::kExistence, .exact = true}));
  EXPECT_LT(ours, exact + 0.005);
}

TEST(RefreshSimulation, FollowsRatesThatWander) {
  const refresh::ChangeMemory all = refresh::ChangeMemory::Unlimited();
  const RefreshScenario scenario{.knowledge = RateKnowledge::kDates, .drift_cycles = 50};
  RefreshScenario never_forgets = scenario;
  never_forgets.memory = all;
  RefreshScenario told_all = scenario;
  told_all.exact = true;
  const double ours = Above(After(24, scenario)), exact = Above(After(24, told_all));
  EXPECT_LT(ours, Above(After(24, never_forgets)) - 0.02);
  EXPECT_GT(ours, exact) << "nobody can know more";
  EXPECT_LT(ours, exact + 0.05);
  EXPECT_LT(Above(After(24, {.drift_cycles = 50})), 0.02);
}

double Bias(const Table& table, const std::vector<std::string>& key) {
  for (const std::vector<std::string>& row : table.rows) {
    double bias = 0;
    if (std::equal(key.begin(), key.end(), row.begin()) && absl::SimpleAtod(row[5], &bias)) {
      return bias;
    }
  }
  ADD_FAILURE() << "no row " << testing::PrintToString(key);
  return 0;
}

TEST(EstimatorsExperiment, ShowsNoBiasWhereVisitsSayEnough) {
  const Table table = ComputeExperiment("estimators", {.pages = 2000}).value().table;
  for (const char* observations : {"existence, regular", "existence, irregular", "dates",
                                   "dates, half of them missing", "dates, half of them false"}) {
    for (const char* rate : {"0.2", "0.5", "1"}) {
      EXPECT_LT(std::abs(Bias(table, {observations, "50", rate, "corrected"})), 3)
          << observations << " " << rate;
    }
  }
  // As printed, (4.2) is several times too high for slow pages.
  EXPECT_GT(Bias(table, {"dates", "50", "0.2", "(4.2) as printed"}), 400);
}

}  // namespace
}  // namespace opic::sim
