// What is remembered of pages' changes, for long and at several speeds of drift: the memory by
// default, the one that is learnt, and the exact filter, which knows how rates drift.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/experiment_runs.h"
#include "sim/refresh_simulation.h"

namespace opic::sim {
namespace {

// Figures are of the last cycles of these.
constexpr int kCyclesPerRow = 20, kCycles = 120;
constexpr double kDrifts[] = {0, 16'000, 1000, 200, 50};  // cycles; 0: rates stay

struct Memory {
  const char* name;
  RefreshScenario scenario;
};
constexpr Memory kMemories[] = {
    {"default", {}}, {"learnt", {.memory_learnt = true}}, {"exact filter", {.exact = true}}};

struct Knowledge {
  const char* name;
  RateKnowledge knowledge;
};
constexpr Knowledge kKnowledges[] = {{"existence", RateKnowledge::kExistence},
                                     {"dates", RateKnowledge::kDates}};

// The memory that was chosen last: what it takes for the variance of ln(rate) in a year.
std::string Chosen(const RefreshScenario& scenario, const RefreshSimulation& web) {
  if (!scenario.memory_learnt) return "-";
  const refresh::ChangeMemory& memory = web.memory().memory();
  if (memory == refresh::ChangeMemory{}) return "default";
  return absl::StrFormat("%g", memory.drift * 365 * 86'400);
}

void AddRows(const std::string& name, const std::string& drift, uint32_t pages, uint64_t seed,
             const RefreshScenario& scenario, const std::string& memory, ExperimentResult& result) {
  RefreshSimulation web(pages, seed, scenario);
  Series series{absl::StrCat(name, ", ", memory, ", drift ", drift), {}};
  series.dashed = scenario.drift_cycles > 0;
  for (int cycles = kCyclesPerRow; cycles <= kCycles; cycles += kCyclesPerRow) {
    const RefreshFigures figures = web.Run(kCyclesPerRow);
    const double above = 100 * (figures.cost / figures.optimum - 1);
    series.points.emplace_back(cycles, std::max(above, 0.1));  // the axis is logarithmic
    result.table.rows.push_back({name, drift, memory, absl::StrCat(cycles),
                                 absl::StrFormat("%.2f", above), Chosen(scenario, web)});
  }
  result.plot.series.push_back(std::move(series));
}

}  // namespace

ExperimentResult RefreshMemory(const graph::Graph& graph, const ExperimentOptions& options) {
  ExperimentResult result;
  result.table.columns = {
      "seen", "drift_cycles", "memory", "cycles", "cost_above_optimum_percent", "chosen_per_year"};
  result.table.keys = 4;
  result.plot = {"Refresh: what is remembered, against the optimum",
                 "cycles (a cycle: as many fetches as pages)",
                 "cost above the numerical optimum, % (less than 0.1 as 0.1)",
                 Scale::kLog,
                 {}};
  for (const Knowledge& knowledge : kKnowledges) {
    for (const double drift : kDrifts) {
      for (const Memory& memory : kMemories) {
        RefreshScenario scenario = memory.scenario;
        scenario.knowledge = knowledge.knowledge, scenario.drift_cycles = drift;
        AddRows(knowledge.name, drift > 0 ? absl::StrCat(drift) : "none", graph.pages(),
                options.seed, scenario, memory.name, result);
      }
    }
  }
  return result;
}

}  // namespace opic::sim
