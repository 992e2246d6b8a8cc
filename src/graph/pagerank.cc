#include "graph/pagerank.h"

#include <numeric>

#include "base/check.h"
#include "graph/errors.h"

namespace opic::graph {
namespace {

// Which part of its importance a page passes along each of its links, of which it has some.
double PerLink(const PageRankOptions& options, size_t links) {
  if (options.matrix == LinkMatrix::kAdjacency) return options.damping;
  return options.damping / (static_cast<double>(links) + options.edge_weight);
}

// next = L'(from), `from` summing to 1: what links do not pass of a random walk goes to all evenly,
// and so does 1 - damping where links pass more than there is.
void Iterate(const Graph& graph, const PageRankOptions& options, const std::vector<double>& from,
             std::vector<double>& next) {
  if (options.plus_identity) {
    next = from;
  } else {
    std::fill(next.begin(), next.end(), 0.0);
  }
  double passed = 0;
  for (uint32_t page = 0; page < graph.pages(); ++page) {
    const auto links = graph.LinksOf(page);
    if (links.empty()) continue;
    const double share = PerLink(options, links.size()) * from[page];
    for (const uint32_t target : links) next[target] += share;
    passed += share * static_cast<double>(links.size());
  }
  const double rest = options.matrix == LinkMatrix::kAdjacency ? 1 - options.damping : 1 - passed;
  for (double& importance : next) importance += rest / graph.pages();
}

void Normalise(std::vector<double>& importance) {
  const double sum = std::accumulate(importance.begin(), importance.end(), 0.0);
  for (double& x : importance) x /= sum;
}

}  // namespace

Ranking RankPages(const Graph& graph, const PageRankOptions& options) {
  OPIC_CHECK(options.damping >= 0 && options.damping <= 1) << options.damping;
  Ranking ranking;
  if (graph.pages() == 0) return ranking;
  std::vector<double> next(graph.pages());
  ranking.importance.assign(graph.pages(), 1.0 / graph.pages());
  do {
    Iterate(graph, options, ranking.importance, next);
    Normalise(next);
    ranking.l1_change = L1Distance(ranking.importance, next);
    ranking.importance.swap(next);
    ++ranking.iterations;
  } while (ranking.l1_change > options.l1_change_max &&
           ranking.iterations < options.iterations_max);
  return ranking;
}

std::vector<double> PageRank(const Graph& graph, const PageRankOptions& options) {
  return RankPages(graph, options).importance;
}

}  // namespace opic::graph
