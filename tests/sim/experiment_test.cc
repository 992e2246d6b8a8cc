#include "sim/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"

namespace opic::sim {

// So that a test's name says the same wherever the experiment lies in memory.
static void PrintTo(const ExperimentInfo& info, std::ostream* out) { *out << info.name; }

namespace {

using ::testing::HasSubstr;

ExperimentResult Compute(std::string_view name, uint64_t pages, uint64_t seed = 1) {
  absl::StatusOr<ExperimentResult> result = ComputeExperiment(name, {.pages = pages, .seed = seed});
  EXPECT_TRUE(result.ok()) << result.status();
  return std::move(result).value_or(ExperimentResult{});
}

// The number in `column` of the row whose first columns are `key`.
double At(const Table& table, const std::vector<std::string>& key, std::string_view column) {
  const auto at = std::ranges::find(table.columns, column) - table.columns.begin();
  for (const std::vector<std::string>& row : table.rows) {
    double value = 0;
    if (std::equal(key.begin(), key.end(), row.begin()) && absl::SimpleAtod(row[at], &value))
      return value;
  }
  ADD_FAILURE() << "no row " << testing::PrintToString(key);
  return 0;
}

class EachExperiment : public testing::TestWithParam<ExperimentInfo> {};

TEST_P(EachExperiment, GivesTheSameTableForTheSameSeedOnly) {
  const std::string table = Compute(GetParam().name, 100, 5).table.ToTsv();
  EXPECT_EQ(Compute(GetParam().name, 100, 5).table.ToTsv(), table);
  EXPECT_NE(Compute(GetParam().name, 100, 6).table.ToTsv(), table);
}

TEST_P(EachExperiment, GivesARowForEveryColumnAndAPlot) {
  const ExperimentResult result = Compute(GetParam().name, 150);
  EXPECT_FALSE(result.table.rows.empty());
  for (const auto& row : result.table.rows) EXPECT_EQ(row.size(), result.table.columns.size());
  for (const Series& series : result.plot.series) EXPECT_FALSE(series.points.empty());
  EXPECT_FALSE(GetParam().description.empty());
}

INSTANTIATE_TEST_SUITE_P(, EachExperiment, testing::ValuesIn(Experiments()), [](const auto& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
});

// What one machine, compiler or year gives, every other one does.
TEST(Experiments, GiveTheTablesTheyAlwaysGave) {
  const std::pair<const char*, const char*> rows[] = {
      {"figure2",
       "greedy\t10\t26.155\t2.2145\t0.7245\t7.1526\t2.3297\t0.995978\t0.999985\n"
       "sweep\t1\t"},
      {"figure2", "\nrandom\t10\t11.015\t10.6574\t9.8560\t24.2322\t10.1708\t0.984754\t0.999242\n"},
      {"figure4", "\nsettled\t5\tvariable, 8 measures\t-\t21.782\t11.744\t0.82871\t0.99400\n"},
      {"figure4",
       "\nsettled\t5\tinterpolation, 4 months\t10.81\t16.315\t26.509\t0.89081\t0.98921\n"},
      {"figure5", "\nfixed, 8 months\t10\t21.61\t6.71\t127.3\n"},
      {"matrices", "\nundirected\tOPIC, greedy\t10\t1.1637\t0.2808\t0.999911\t0.999993\n"},
      {"ordering", "\nOPIC, 4 settled a fetch\t5\t5.00\t40.108\t100.00\n"},
  };
  for (const auto& [name, row] : rows) {
    EXPECT_THAT(Compute(name, 500, 7).table.ToTsv(), HasSubstr(row)) << name;
  }
}

TEST(Experiments, GiveTheMeanOfSeveralRunsWhoeverMakesThem) {
  const auto on_two_threads = [](const std::function<void()>& make_runs) {
    std::thread other(make_runs);
    make_runs();
    other.join();
  };
  const auto of = [&](uint32_t runs, uint32_t workers, uint64_t seed) {
    ExperimentOptions options{.pages = 200, .seed = seed, .runs = runs};
    if (workers == 2) options.run_on_workers = on_two_threads;
    return ComputeExperiment("figure2", options).value().table;
  };
  const Table both = of(2, 1, 5);
  const double mean = At(both, {"cycle", "10"}, "error_percent");
  const double first = At(of(1, 1, 5), {"cycle", "10"}, "error_percent");
  const double second = At(of(1, 1, 6), {"cycle", "10"}, "error_percent");
  EXPECT_NEAR(mean, (first + second) / 2, 1e-3);
  EXPECT_NEAR(At(both, {"cycle", "10"}, "error_percent_sd"),
              std::abs(first - second) / std::sqrt(2), 1e-3);
  EXPECT_EQ(of(2, 2, 5).ToTsv(), both.ToTsv());
}

TEST(Experiments, AreRefusedWithTheReason) {
  const absl::Status unknown = ComputeExperiment("figure7", {}).status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("figure2, figure3"));
  EXPECT_EQ(ComputeExperiment("figure2", {.pages = 99}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ComputeExperiment("figure2", {.pages = 200, .runs = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Experiments, RunOnAGivenGraph) {
  std::vector<graph::Edge> edges;
  for (uint32_t page = 0; page < 150; ++page) edges.push_back({page, (page * 7 + 1) % 150});
  const graph::Graph graph = graph::Graph::FromEdges(150, edges);
  EXPECT_TRUE(ComputeExperiment("ordering", {.graph = &graph}).ok());
  const graph::Graph tiny = graph::Graph::FromEdges(3, {});
  EXPECT_FALSE(ComputeExperiment("ordering", {.graph = &tiny}).ok());
}

// Paper section 4.2: Random is significantly worse; section 3.1: Greedy focuses on important pages.
TEST(Figure2And3, RankTheStrategiesAsThePaperDoes) {
  const Table table = Compute("figure3", 2000).table;
  for (const char* error : {"error_percent", "top_error_percent"}) {
    const double random = At(table, {"random", "10"}, error),
                 cycle = At(table, {"cycle", "10"}, error),
                 greedy = At(table, {"greedy", "10"}, error);
    EXPECT_LT(cycle, random / 1.5) << error;
    EXPECT_LT(greedy, cycle / 2) << error;
  }
  EXPECT_LT(At(table, {"greedy", "3"}, "top_error_percent"),
            At(table, {"off-line", "3"}, "top_error_percent"));
}

TEST(Figure4, SmallWindowsFollowChangesAndLargeOnesArePrecise) {
  const Table table = Compute("figure4", 1000).table;
  const auto error = [&](const char* rate, const char* window) {
    return At(table, {"settled", rate, window}, "error_percent");
  };
  EXPECT_LT(error("0", "variable, 16 measures"), error("0", "variable, 4 measures"));
  EXPECT_GT(error("20", "variable, 16 measures"), error("20", "variable, 4 measures"));
}

TEST(Figure5, CountsTheMeasuresThatThePoliciesPromise) {
  const Table table = Compute("figure5", 1000).table;
  EXPECT_EQ(At(table, {"interpolation, 4 months", "10"}, "measures_per_page"), 1);
  EXPECT_LE(At(table, {"variable, 8 measures", "10"}, "measures_per_page"), 8);
  EXPECT_GT(At(table, {"improved-fixed, 4 months", "10"}, "measures_per_page"),
            At(table, {"fixed, 4 months", "10"}, "measures_per_page"));
}

TEST(Ordering, CashFindsImportantPagesBeforeChanceAndBreadth) {
  const Table table = Compute("ordering", 3000).table;
  const auto collected = [&](const char* order) {
    return At(table, {order, "10"}, "importance_percent");
  };
  EXPECT_GT(collected("OPIC, 4 settled a fetch"), collected("random"));
  EXPECT_GT(collected("OPIC, 4 settled a fetch"), collected("breadth first"));
  EXPECT_LE(collected("OPIC, 4 settled a fetch"), collected("by exact importance"));
}

// Paper section 1: on-line OPIC works for any link matrix; under Greedy it is ahead of both
// off-line suites on the important pages, as of the random walk.
TEST(Matrices, AreAllFoundOnLine) {
  const Table table = Compute("matrices", 2000).table;
  for (const char* matrix : {"random walk", "adjacency", "undirected"}) {
    const auto error = [&](const char* method, const char* crawls, const char* column) {
      return At(table, {matrix, method, crawls}, column);
    };
    EXPECT_LT(error("OPIC, greedy", "2", "top_error_percent"),
              error("off-line (†)", "2", "top_error_percent") / 2)
        << matrix;
    EXPECT_LT(error("OPIC, greedy", "10", "error_percent"),
              error("OPIC, greedy", "1", "error_percent") / 3)
        << matrix;
  }
}

TEST(Ordering, EveryOrderFetchesTheSamePagesInTheEnd) {
  const Table table = Compute("ordering", 500).table;
  std::map<std::string, std::string> fetched, collected;
  for (const auto& row : table.rows) fetched[row[0]] = row[2], collected[row[0]] = row[3];
  for (const auto& [order, share] : fetched) {
    EXPECT_EQ(share, fetched["random"]) << order;
    EXPECT_EQ(collected[order], collected["random"]) << order;
  }
}

}  // namespace
}  // namespace opic::sim
