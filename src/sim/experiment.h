// The paper's experiments on synthetic data (section 4.2, docs/experiments.md), each as one
// function that gives a table and a plot: what `opic sim figure2 --out DIR` runs.
// docs/experiments.md tells what came out.
//
// Deterministic: the same options give the same table.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sim/experiment_result.h"

namespace opic::sim {

struct ExperimentInfo {
  std::string_view name;
  std::string_view description;  // one line
};

// All experiments, in the order of the paper.
absl::Span<const ExperimentInfo> Experiments();

// Takes seconds to a minute a run for 100,000 pages; memory of some kilobytes a page and worker.
// NotFound names the experiments there are; InvalidArgument: too few pages, no run.
absl::StatusOr<ExperimentResult> ComputeExperiment(std::string_view name,
                                                   const ExperimentOptions& options);

}  // namespace opic::sim
