// The experiments themselves, one function a figure; experiment.h finds them by name.
#pragma once

#include "sim/experiment_result.h"

namespace opic::sim {

// Error after 1 to 10 crawls' worth of visits, by strategy: of all pages (figure 2), of the top
// tenth (figure 3).
ExperimentResult Figure2(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult Figure3(const graph::Graph& graph, const ExperimentOptions& options);

// Windows on a graph that changes: their sizes (figure 4), their measures (figure 5), their types
// (figure 6).
ExperimentResult Figure4(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult Figure5(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult Figure6(const graph::Graph& graph, const ExperimentOptions& options);

// Error after 1 to 10 crawls or iterations by link matrix: (dagger), (dagger prime), on-line.
ExperimentResult Matrices(const graph::Graph& graph, const ExperimentOptions& options);

// Importance collected against pages fetched, by the order of the crawl.
ExperimentResult CrawlOrdering(const graph::Graph& graph, const ExperimentOptions& options);

// Ledger push: a web at rest, the same over a cluster's late batches, a changing web, a growing
// crawl, its order, rounding cells, faults.
ExperimentResult PushStatic(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult PushAhead(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult PushDelays(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult PushChanging(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult PushGrowing(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult PushOrdering(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult PushCells(const graph::Graph& graph, const ExperimentOptions& options);
ExperimentResult PushFailures(const graph::Graph& graph, const ExperimentOptions& options);

// Refresh under a bandwidth against the numerical optimum (thesis chapter 3).
ExperimentResult Refresh(const graph::Graph& graph, const ExperimentOptions& options);
// The same for long, at several speeds at which rates drift, by what is remembered of pages.
ExperimentResult RefreshMemory(const graph::Graph& graph, const ExperimentOptions& options);

// Bias and deviation of estimators of a change rate (thesis chapter 4).
ExperimentResult Estimators(const graph::Graph& graph, const ExperimentOptions& options);

// XML documents found against pages fetched, by cash and by interest, on a web made for it, of as
// many pages as `graph` has.
ExperimentResult InterestInXml(const graph::Graph& graph, const ExperimentOptions& options);

}  // namespace opic::sim
