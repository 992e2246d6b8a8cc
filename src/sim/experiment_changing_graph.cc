#include "sim/experiment_changing_graph.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace opic::sim {
namespace {

constexpr uint64_t kDrawsPerPage = 4;  // until no page is taken to be able to change

}  // namespace

ChangingGraph::ChangingGraph(const graph::Graph& graph, uint64_t seed)
    : sources_(graph.pages()), rng_(seed) {
  for (const graph::Edge& edge : graph.Edges()) sources_[edge.to].push_back(edge.from);
}

void ChangingGraph::Change(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const bool doubles = rng_.Below(2) == 0;
    // Two of three pages have a single link, which cannot be halved: another page is drawn.
    for (uint64_t draws = kDrawsPerPage * sources_.size(); draws > 0; --draws) {
      const auto page = static_cast<uint32_t>(rng_.Below(sources_.size()));
      if (doubles ? Double(page) : Halve(page)) break;
    }
  }
}

bool ChangingGraph::Double(uint32_t page) {
  std::vector<uint32_t>& sources = sources_[page];
  const size_t wanted = std::min(2 * sources.size(), sources_.size() / 2);
  if (wanted <= sources.size()) return false;
  absl::flat_hash_set<uint32_t> taken(sources.begin(), sources.end());
  taken.insert(page);
  while (sources.size() < wanted) {
    const auto source = static_cast<uint32_t>(rng_.Below(sources_.size()));
    if (taken.insert(source).second) sources.push_back(source);
  }
  return true;
}

bool ChangingGraph::Halve(uint32_t page) {
  std::vector<uint32_t>& sources = sources_[page];
  if (sources.size() < 2) return false;
  for (size_t leaving = sources.size() / 2; leaving > 0; --leaving) {
    std::swap(sources[rng_.Below(sources.size())], sources.back());
    sources.pop_back();
  }
  return true;
}

graph::Graph ChangingGraph::Snapshot() const {
  std::vector<graph::Edge> edges;
  for (uint32_t page = 0; page < sources_.size(); ++page) {
    for (uint32_t source : sources_[page]) edges.push_back({source, page});
  }
  return graph::Graph::FromEdges(static_cast<uint32_t>(sources_.size()), std::move(edges));
}

}  // namespace opic::sim
