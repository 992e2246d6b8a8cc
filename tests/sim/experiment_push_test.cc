// What ledger push promises, on small webs, as the tables of its experiments tell it.
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sim/experiment.h"

namespace opic::sim {
namespace {

Table Compute(std::string_view name, uint64_t pages) {
  return ComputeExperiment(name, {.pages = pages, .seed = 3}).value().table;
}

double Number(const Table& table, const std::vector<std::string>& row, std::string_view column) {
  const auto at = std::ranges::find(table.columns, column) - table.columns.begin();
  double value = 0;
  EXPECT_TRUE(absl::SimpleAtod(row[static_cast<size_t>(at)], &value)) << column;
  return value;
}

double At(const Table& table, const std::string& first, const std::string& second,
          std::string_view column) {
  for (const std::vector<std::string>& row : table.rows) {
    if (row[0] == first && row[1] == second) return Number(table, row, column);
  }
  ADD_FAILURE() << "no row " << first << ", " << second;
  return 0;
}

TEST(PushExperiments, BoundsAreNeverBelowTheError) {
  for (const char* name : {"push-static", "push-growing"}) {
    const Table table = Compute(name, 2000);
    int bounded = 0;
    for (const auto& row : table.rows) {
      if (!row[0].starts_with("push")) continue;
      EXPECT_LE(Number(table, row, "l1"), Number(table, row, "bound")) << row[0] << ", " << row[1];
      ++bounded;
    }
    EXPECT_GE(bounded, 20);
  }
}

TEST(PushExperiments, SettlingGoesOnWhereAWindowStops) {
  const Table table = Compute("push-static", 2000);
  const auto error = [&](const char* method, const char* visits) {
    return At(table, method, visits, "error_percent");
  };
  EXPECT_LT(error("push, standing start", "6"), 0.2);
  EXPECT_LT(error("push, after a crawl", "4"), 0.2);
  EXPECT_GT(error("interpolation, T = 8", "8"), 3);
  EXPECT_LT(error("push, standing start", "8"), error("H + C - C0", "8") / 10);
}

// Circles of five pages, which the sweep meets in another order than their links.
graph::Graph Circles(uint32_t circles) {
  std::vector<graph::Edge> edges;
  for (uint32_t page = 0; page < 5 * circles; ++page)
    edges.push_back({page, (page / circles + 2) % 5 * circles + page % circles});
  return graph::Graph::FromEdges(5 * circles, edges);
}

TEST(PushExperiments, PagesThatPayAheadSettleInFewerVisits) {
  const Table table = Compute("push-ahead", 2000);
  for (const char* bound : {"1", "0.25"}) {
    EXPECT_LT(At(table, "measured", bound, "visits_per_page"),
              0.95 * At(table, "1", bound, "visits_per_page"));
  }
}

TEST(PushExperiments, OnCirclesAMeasuredFactorEnds) {
  const graph::Graph graph = Circles(100);
  const Table table = ComputeExperiment("push-ahead", {.graph = &graph}).value().table;
  EXPECT_EQ(At(table, "1.2", "0.25", "visits_per_page"), 40) << "the most that it tells";
  EXPECT_LT(At(table, "measured", "0.25", "visits_per_page"),
            1.5 * At(table, "1", "0.25", "visits_per_page"));
}

TEST(PushExperiments, ACrawlThatGrowsSumsToOneAndIsNearTheTruth) {
  const Table table = Compute("push-growing", 3000);
  for (const auto& row : table.rows) {
    if (!row[0].starts_with("push")) continue;
    EXPECT_NEAR(Number(table, row, "sum"), 1, 1e-3) << row[0] << ", " << row[1];
  }
  for (const char* percent : {"5", "20", "100"}) {
    const double push = At(table, "push, 1 settled a fetch", percent, "error_percent");
    EXPECT_LT(push, 20);
    EXPECT_LT(push, At(table, "interpolation, T = 8", percent, "error_percent"));
    EXPECT_LT(At(table, "push, 4 settled a fetch", percent, "error_percent"), push);
  }
}

TEST(PushExperiments, AChangingWebIsFollowedNearlyAsWellAsCanBe) {
  const Table table = Compute("push-changing", 1500);
  for (const char* rate : {"1", "5", "20"}) {
    for (const char* column : {"error_percent", "top_error_percent"}) {
      const auto error = [&](const char* method) { return At(table, method, rate, column); };
      EXPECT_LT(error("push, 1 settled a fetch"), 1.25 * error("limit") + 0.1) << rate << column;
      EXPECT_LT(error("push, 1 settled a fetch"), error("best window, 1 settled a fetch"));
      EXPECT_LT(error("push, none settled"), error("best window, none settled"));
    }
  }
  EXPECT_LT(At(table, "push, settled on demand", "0", "settled_per_fetch"), 0.05);
  EXPECT_GT(At(table, "push, settled on demand", "20", "settled_per_fetch"), 2);
}

TEST(PushExperiments, RoundingWithoutBiasDriftsLittleAndRoundingDownMuch) {
  const Table table = Compute("push-cells", 1000);
  const auto error = [&](const char* cells) {
    return At(table, cells, "3 at rest again", "error_percent");
  };
  EXPECT_LT(error("exact"), 0.001);
  EXPECT_LT(error("10 bits, without bias"), 0.5);
  EXPECT_LT(error("14 bits, without bias"), error("10 bits, without bias") / 4);
  EXPECT_GT(error("10 bits, rounding down"), 5 * error("10 bits, without bias"));
}

TEST(PushExperiments, OnlyARestatementHealsFaults) {
  const Table table = Compute("push-failures", 2000);
  const auto error = [&](const char* fault, const char* moment) {
    return At(table, fault, moment, "error_percent");
  };
  for (const char* fault : {"1 % of credits lost", "1 % of credits doubled",
                            "1/16 of the pages lost", "the same, rolling restatement"}) {
    EXPECT_GT(error(fault, "3 ten more later"), 0.1) << fault;
    EXPECT_LT(error(fault, "6 two more later"), 0.02) << fault;
  }
  EXPECT_LT(error("no fault", "3 ten more later"), 0.001);
}

TEST(PushExperiments, BatchesOfAHundredthOfTheVisitsDoNoHarm) {
  const Table table = Compute("push-delays", 2000);
  for (const char* visits : {"2", "4", "6"}) {
    const auto error = [&](const char* batches) {
      return At(table, absl::StrCat("batches of ", batches, " % of N"), visits, "error_percent");
    };
    EXPECT_LT(error("1"), 1.25 * error("0"));
    EXPECT_GT(error("100"), 2 * error("0"));
  }
}

TEST(PushExperiments, CashFindsImportantPagesFirst) {
  const Table table = Compute("push-ordering", 3000);
  const auto collected = [&](const char* order) {
    return At(table, order, "5", "importance_percent");
  };
  EXPECT_GT(collected("push, 1 settled a fetch"), collected("breadth first"));
  EXPECT_GT(collected("push, 1 settled a fetch"), collected("in-degree found"));
  EXPECT_GT(collected("by exact importance"), collected("push, 4 settled a fetch"));
}

}  // namespace
}  // namespace opic::sim
