// Refresh under a bandwidth (thesis chapter 3): what rules and knowledge cost against the numerical
// optimum.
#include <algorithm>
#include <optional>

#include "absl/strings/str_format.h"
#include "sim/experiment_runs.h"
#include "sim/refresh_simulation.h"

namespace opic::sim {
namespace {

constexpr int kCycles = 40;
constexpr int kCyclesPerRow = 4;
constexpr double kDriftCycles = 50;

struct Policy {
  const char* name;
  RefreshScenario scenario;
  std::optional<size_t> as = std::nullopt;  // its counterpart without drift, whose colour it has
};

constexpr refresh::ChangeMemory kAll = refresh::ChangeMemory::Unlimited();

std::vector<Policy> Policies() {
  using enum RefreshRule;
  using enum RateKnowledge;
  return {
      {"uniform", {.rule = kUniform}},
      {"by rate", {.rule = kByRate}},
      {"by importance", {.rule = kByImportance}},
      {"ours, rates known", {}},
      {"ours, existence of change", {.knowledge = kExistence}},
      {"ours, last dates", {.knowledge = kDates}},
      {"ours, half of them with dates", {.knowledge = kBoth}},
      {"existence, nothing forgotten", {.knowledge = kExistence, .memory = kAll}},
      {"dates, nothing forgotten", {.knowledge = kDates, .memory = kAll}},
      {"existence, exact posterior", {.knowledge = kExistence, .exact = true}},
      {"dates, exact posterior", {.knowledge = kDates, .exact = true}},
      {"existence, memory learnt", {.knowledge = kExistence, .memory_learnt = true}},
      {"dates, memory learnt", {.knowledge = kDates, .memory_learnt = true}},
      {"drift: uniform", {.rule = kUniform, .drift_cycles = kDriftCycles}, 0},
      {"drift: ours, rates known", {.drift_cycles = kDriftCycles}, 3},
      {"drift: ours, existence of change",
       {.knowledge = kExistence, .drift_cycles = kDriftCycles},
       4},
      {"drift: ours, last dates", {.knowledge = kDates, .drift_cycles = kDriftCycles}, 5},
      {"drift: ours, half with dates", {.knowledge = kBoth, .drift_cycles = kDriftCycles}, 6},
      {"drift: dates, nothing forgotten",
       {.knowledge = kDates, .drift_cycles = kDriftCycles, .memory = kAll},
       8},
      {"drift: existence, exact posterior",
       {.knowledge = kExistence, .exact = true, .drift_cycles = kDriftCycles},
       9},
      {"drift: dates, exact posterior",
       {.knowledge = kDates, .exact = true, .drift_cycles = kDriftCycles},
       10},
      {"drift: existence, memory learnt",
       {.knowledge = kExistence, .drift_cycles = kDriftCycles, .memory_learnt = true},
       11},
      {"drift: dates, memory learnt",
       {.knowledge = kDates, .drift_cycles = kDriftCycles, .memory_learnt = true},
       12},
  };
}

double AbovePercent(double cost, double optimum) { return 100 * (cost / optimum - 1); }

}  // namespace

ExperimentResult Refresh(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result;
  result.table.columns = {"policy",
                          "cycles",
                          "cost_above_optimum_percent",
                          "planned_above_optimum_percent",
                          "fresh_percent",
                          "bandwidth_percent"};
  result.table.keys = 2;
  result.plot = {"Refresh: obsolescence against the optimum",
                 "cycles (a cycle: as many fetches as pages)",
                 "cost above the numerical optimum, % (less than 0.1 as 0.1)",
                 Scale::kLog,
                 {}};
  for (const Policy& policy : Policies()) {
    RefreshSimulation web(graph.pages(), options.seed, policy.scenario);
    Series series{policy.name, {}};
    series.as = policy.as;
    series.dashed = policy.scenario.drift_cycles > 0;
    for (int cycles = kCyclesPerRow; cycles <= kCycles; cycles += kCyclesPerRow) {
      const RefreshFigures figures = web.Run(kCyclesPerRow);
      const double above = AbovePercent(figures.cost, figures.optimum);
      series.points.emplace_back(cycles, std::max(above, 0.1));  // the axis is logarithmic
      result.table.rows.push_back(
          {policy.name, absl::StrFormat("%d", cycles), absl::StrFormat("%.2f", above),
           absl::StrFormat("%.3f", AbovePercent(figures.planned, figures.optimum)),
           absl::StrFormat("%.2f", 100 * figures.fresh),
           absl::StrFormat("%.2f", 100 * figures.bandwidth)});
    }
    result.plot.series.push_back(std::move(series));
  }
  return result;
}

}  // namespace opic::sim
