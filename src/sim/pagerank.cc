#include "sim/pagerank.h"

#include <cmath>
#include <numeric>

#include "base/check.h"

namespace opic::sim {
namespace {

// next = damping * (links of `graph`)(from) + what is left, spread evenly. `from` sums to 1.
void Iterate(const Graph& graph, double damping, const std::vector<double>& from,
             std::vector<double>& next) {
  std::fill(next.begin(), next.end(), 0.0);
  double dangling = 0;
  for (uint32_t page = 0; page < graph.pages(); ++page) {
    const auto links = graph.LinksOf(page);
    if (links.empty()) dangling += from[page];
    const double share = links.empty() ? 0 : damping * from[page] / links.size();
    for (const uint32_t target : links) next[target] += share;
  }
  const double evenly = ((1 - damping) * (1 - dangling) + dangling) / graph.pages();
  for (double& importance : next) importance += evenly;
}

void Normalise(std::vector<double>& importance) {
  const double sum = std::accumulate(importance.begin(), importance.end(), 0.0);
  for (double& x : importance) x /= sum;
}

double L1Distance(const std::vector<double>& a, const std::vector<double>& b) {
  double distance = 0;
  for (size_t i = 0; i < a.size(); ++i) distance += std::abs(a[i] - b[i]);
  return distance;
}

}  // namespace

Ranking RankPages(const Graph& graph, const PageRankOptions& options) {
  OPIC_CHECK(options.damping >= 0 && options.damping < 1) << options.damping;
  Ranking ranking;
  if (graph.pages() == 0) return ranking;
  std::vector<double> next(graph.pages());
  ranking.importance.assign(graph.pages(), 1.0 / graph.pages());
  do {
    Iterate(graph, options.damping, ranking.importance, next);
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

}  // namespace opic::sim
