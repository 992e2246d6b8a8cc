// opic sim: the paper's experiments on synthetic graphs.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/named_file.h"
#include "base/workers.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/rank_input.h"
#include "sim/experiment.h"

namespace opic::cli {
namespace {

constexpr uint32_t kGraphPagesMax = 100'000'000;

struct SimFlags {
  std::string experiment;
  std::string out = ".";
  std::string graph;
  sim::ExperimentOptions options;
  uint32_t workers = 1;
  bool json = false;
};

std::string ExperimentList() {
  std::string list = "Experiments:\n";
  for (const sim::ExperimentInfo& info : sim::Experiments()) {
    list += fmt::format("  {:<16} {}\n", info.name, info.description);
  }
  return list;
}

int RunSim(const SimFlags& flags) {
  sim::ExperimentOptions options = flags.options;
  graph::Graph graph;
  if (!flags.graph.empty()) {
    absl::StatusOr<graph::Graph> read = ReadGraph(flags.graph, kGraphPagesMax);
    if (!read.ok()) return PrintError(read.status());
    graph = *std::move(read);
    options.graph = &graph;
    options.graph_name = std::filesystem::path(flags.graph).filename().string();
  }
  std::error_code error;
  std::filesystem::create_directories(flags.out, error);
  if (error)
    return PrintError(
        absl::InvalidArgumentError("--out: cannot make " + flags.out + ": " + error.message()));
  options.run_on_workers = [&flags](const std::function<void()>& make_runs) {
    base::OnWorkers(flags.workers, [&make_runs](uint32_t) {
      make_runs();
      return absl::OkStatus();
    }).IgnoreError();  // there is none
  };
  const absl::StatusOr<sim::ExperimentResult> result =
      sim::ComputeExperiment(flags.experiment, options);
  if (!result.ok()) return PrintError(result.status());
  const std::string stem = flags.out + "/" + flags.experiment;
  absl::Status written = base::WriteFileDurably(stem + ".tsv", result->table.ToTsv());
  written.Update(base::WriteFileDurably(stem + ".svg", sim::RenderSvg(result->plot)));
  if (!written.ok()) return PrintError(base::OfNamedFile(written));
  if (flags.json) {
    PrintJson({{"table", stem + ".tsv"}, {"plot", stem + ".svg"}});
  } else {
    fmt::print("{0}.tsv\n{0}.svg\n", stem);
  }
  return kOk;
}

}  // namespace

Command AddSim(CLI::App& opic) {
  auto flags = std::make_shared<SimFlags>();
  CLI::App* app = opic.add_subcommand(
      "sim", "run one of the paper's experiments on a synthetic graph; writes a table and a plot");
  app->add_option("experiment", flags->experiment, "name of the experiment")->required();
  app->add_option("--out", flags->out, "folder for NAME.tsv and NAME.svg (default: here)");
  app->add_option("--sim-pages", flags->options.pages, "pages of the graph (default 100000)");
  app->add_option("--graph", flags->graph,
                  "edge list to use instead of a synthetic graph: lines FROM TO; may be gzipped");
  app->add_option("--seed", flags->options.seed,
                  "seed of the random generator; another one makes another graph (default 1)");
  app->add_option(
      "--runs", flags->options.runs,
      "number of runs, with this seed and the ones after it; gives mean and deviation (default 1)");
  app->add_option("--workers", flags->workers,
                  "threads for the runs (default 1); the result does not depend on it")
      ->check(CLI::Range(1, 1000));
  app->add_flag("--json", flags->json, "print JSON");
  app->footer(ExperimentList());
  return {app, [flags] { return RunSim(*flags); }};
}

}  // namespace opic::cli
