// The paper's experiments on synthetic data (section 4.2, docs/experiments.md), each as one
// function that gives a table and a plot: what `opic sim figure2 --out DIR` runs.
// docs/experiments.md tells what came out.
//
// Deterministic: the same options give the same table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/graph.h"
#include "sim/plot.h"

namespace opic::sim {

struct ExperimentInfo {
  std::string_view name;
  std::string_view description;  // one line
};

// All experiments, in the order of the paper.
absl::Span<const ExperimentInfo> Experiments();

struct ExperimentOptions {
  uint64_t pages = 100'000;  // of the synthetic graph; at least 100
  uint64_t seed = 1;
  // Runs with the seeds seed, seed + 1, ... (another graph each, unless one is given). Of more than
  // one the result is the mean, with the standard deviation beside it.
  uint32_t runs = 1;
  // Makes the runs: calls its argument at least once, on as many threads as it likes, and waits.
  // Null: on this one. It changes nothing in the result.
  std::function<void(const std::function<void()>&)> run_on_workers;
  // A graph to use in place of the synthetic one (then `pages` is ignored); must outlive the call.
  const graph::Graph* graph = nullptr;
  std::string graph_name = {};  // what plots call it
};

// Rows of one result, told apart by their first `keys` columns; the others hold values.
struct Table {
  std::vector<std::string> columns;
  size_t keys = 1;
  std::vector<std::vector<std::string>> rows;
  // A line of names and a line a row, fields separated by tabs.
  std::string ToTsv() const;
};

struct ExperimentResult {
  Table table;
  Plot plot;
};

// Takes seconds to a minute a run for 100,000 pages; memory of some kilobytes a page and worker.
// NotFound names the experiments there are; InvalidArgument: too few pages, no run.
absl::StatusOr<ExperimentResult> ComputeExperiment(std::string_view name,
                                                   const ExperimentOptions& options);

}  // namespace opic::sim
