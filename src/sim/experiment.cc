#include "sim/experiment.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "graph/power_law.h"
#include "sim/experiment_mean.h"
#include "sim/experiment_runs.h"

namespace opic::sim {
namespace {

using Run = ExperimentResult (*)(const graph::Graph&, const ExperimentOptions&);

constexpr std::array<ExperimentInfo, 19> kInfos = {{
    {"figure2", "error over all pages after 1 to 10 crawls, by strategy and off-line"},
    {"figure3", "the same over the most important tenth of the pages"},
    {"figure4", "windows of 4, 8 and 16 measures and Interpolation on a changing web"},
    {"figure5", "measures and bytes kept a page, by window policy"},
    {"figure6", "window policies of like size on a changing web"},
    {"matrices", "random walk, adjacency and undirected: (†), (†′) and on-line"},
    {"ordering", "importance collected against pages fetched, by the order of the crawl"},
    {"push-static", "ledger push: error against settled visits, from a start and after a crawl"},
    {"push-ahead",
     "ledger push: settled visits until the bound is low, by how far pages pay ahead"},
    {"push-delays", "the same with credits between four nodes in batches"},
    {"push-changing", "ledger push and windows on a changing web, and what nobody can beat"},
    {"push-growing", "ledger push and a window in a crawl that grows"},
    {"push-ordering", "importance collected against pages fetched, by ledger push"},
    {"push-cells", "ledger push in cells that round, for long"},
    {"push-failures", "ledger push after lost and doubled credits and lost pages; restated"},
    {"refresh", "obsolescence of refresh rules, rates known and learnt, against the optimum"},
    {"refresh-memory", "the same for long, by what is remembered of pages and how rates drift"},
    {"estimators", "bias and deviation of estimators of a change rate, by what visits show"},
    {"interest", "XML found against pages fetched, by cash and by interest, on a web made for it"},
}};
constexpr std::array<Run, 19> kRuns = {
    Figure2,      Figure3,   Figure4,       Figure5,      Figure6,      Matrices,     CrawlOrdering,
    PushStatic,   PushAhead, PushDelays,    PushChanging, PushGrowing,  PushOrdering, PushCells,
    PushFailures, Refresh,   RefreshMemory, Estimators,   InterestInXml};

constexpr uint64_t kPagesMin = 100, kPagesMax = 100'000'000;
constexpr uint32_t kRunsMax = 1000;

ExperimentResult RunOnce(Run run, ExperimentOptions options, uint32_t turn) {
  options.seed += turn;
  if (options.graph) return run(*options.graph, options);
  return run(graph::PowerLawGraph(static_cast<uint32_t>(options.pages), base::Rng(options.seed)),
             options);
}

absl::StatusOr<ExperimentResult> RunAll(Run run, const ExperimentOptions& options) {
  std::vector<ExperimentResult> results(options.runs);
  std::atomic<uint32_t> next = 0;
  const auto work = [&] {
    for (uint32_t turn; (turn = next++) < options.runs;) {
      results[turn] = RunOnce(run, options, turn);
    }
  };
  options.run_on_workers ? options.run_on_workers(work) : work();
  return MeanOf(results);
}

// What a plot shows, and the command that draws it again.
std::string NoteOf(std::string_view name, const ExperimentOptions& options) {
  std::string note = absl::StrCat("N = ", options.graph ? options.graph->pages() : options.pages);
  if (options.graph) absl::StrAppend(&note, ", ", options.graph->links(), " links");
  absl::StrAppend(&note, "; ", options.runs, options.runs == 1 ? " run, seed " : " runs, seeds ",
                  options.seed);
  if (options.runs > 1) absl::StrAppend(&note, " to ", options.seed + options.runs - 1);
  absl::StrAppend(&note, ": opic sim ", std::string(name));
  if (options.graph) {
    absl::StrAppend(&note, " --graph ", options.graph_name.empty() ? "FILE" : options.graph_name);
  } else {
    absl::StrAppend(&note, " --sim-pages ", options.pages);
  }
  return absl::StrCat(note, " --seed ", options.seed, " --runs ", options.runs);
}

}  // namespace

absl::Span<const ExperimentInfo> Experiments() { return kInfos; }

absl::StatusOr<ExperimentResult> ComputeExperiment(std::string_view name,
                                                   const ExperimentOptions& options) {
  const auto info = std::ranges::find(kInfos, name, &ExperimentInfo::name);
  if (info == kInfos.end()) {
    const auto append = [](std::string* out, const ExperimentInfo& one) { out->append(one.name); };
    return absl::NotFoundError(
        absl::StrCat("no experiment \"", std::string(name),
                     "\"; there are: ", absl::StrJoin(kInfos, ", ", append)));
  }
  const uint64_t pages = options.graph ? options.graph->pages() : options.pages;
  if (pages < kPagesMin || pages > kPagesMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("an experiment needs ", kPagesMin, " to ", kPagesMax, " pages, not ", pages));
  }
  if (options.runs < 1 || options.runs > kRunsMax) {
    return absl::InvalidArgumentError(absl::StrCat(options.runs, " runs: 1 to ", kRunsMax));
  }
  ASSIGN_OR_RETURN(ExperimentResult result,
                   RunAll(kRuns[static_cast<size_t>(info - kInfos.begin())], options));
  result.plot.note = NoteOf(name, options);
  return result;
}

}  // namespace opic::sim
