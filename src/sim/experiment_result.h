// What an experiment is given, and what comes out of it: a table and a plot.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "sim/plot.h"

namespace opic::sim {

struct ExperimentOptions {
  uint64_t pages = 100'000;  // of the synthetic graph; at least 100
  uint64_t seed = 1;
  // Runs with the seeds seed, seed + 1, ... (another graph each, unless one is given). The result
  // of several is the mean, with the standard deviation beside it.
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

}  // namespace opic::sim
