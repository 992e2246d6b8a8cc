#include "sim/push_truth.h"

#include "base/check.h"
#include "graph/errors.h"
#include "graph/graph.h"
#include "graph/pagerank.h"

namespace opic::sim {

PushTruth TruthOf(const PushBank& bank) {
  PushTruth truth;
  std::vector<uint32_t> number(bank.pages());
  for (uint32_t page = 0; page < bank.pages(); ++page) {
    if (bank.StateOf(page) == PageState::kUnknown) continue;
    number[page] = static_cast<uint32_t>(truth.pages.size());
    truth.pages.push_back(page);
  }
  OPIC_CHECK(!truth.pages.empty());
  std::vector<graph::Edge> edges;
  for (const uint32_t page : truth.pages) {
    for (const uint32_t link : bank.LinksOf(page)) edges.push_back({number[page], number[link]});
  }
  const graph::Graph graph =
      graph::Graph::FromEdges(static_cast<uint32_t>(truth.pages.size()), std::move(edges));
  truth.exact = graph::PageRank(graph);
  return truth;
}

std::vector<double> Of(absl::Span<const uint32_t> pages, absl::Span<const double> values) {
  std::vector<double> of;
  of.reserve(pages.size());
  for (const uint32_t page : pages) of.push_back(values[page]);
  return of;
}

PushError ErrorOf(const PushBank& bank) {
  const PushTruth truth = TruthOf(bank);
  const std::vector<double> x = Of(truth.pages, bank.Estimate());
  return {graph::MeanErrorPercent(x, truth.exact), graph::TopMeanErrorPercent(x, truth.exact),
          graph::L1Distance(x, truth.exact), bank.Bound(), graph::TopOverlap(x, truth.exact, 100)};
}

}  // namespace opic::sim
