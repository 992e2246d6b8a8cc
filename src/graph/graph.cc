#include "graph/graph.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"

namespace opic::graph {

Graph Graph::FromEdges(uint32_t pages, std::vector<Edge> edges) {
  std::erase_if(edges, [](Edge e) { return e.from == e.to; });
  std::sort(edges.begin(), edges.end(),
            [](Edge a, Edge b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  Graph graph;
  graph.begins_.assign(size_t{pages} + 1, 0);
  graph.targets_.reserve(edges.size());
  for (const Edge edge : edges) {
    OPIC_CHECK(edge.from < pages && edge.to < pages) << edge.from << " -> " << edge.to;
    ++graph.begins_[edge.from + size_t{1}];
    graph.targets_.push_back(edge.to);
  }
  for (size_t i = 0; i < pages; ++i) graph.begins_[i + 1] += graph.begins_[i];
  return graph;
}

std::vector<uint32_t> Graph::InDegrees() const {
  std::vector<uint32_t> degrees(pages(), 0);
  for (const uint32_t target : targets_) ++degrees[target];
  return degrees;
}

std::vector<Edge> Graph::Edges() const {
  std::vector<Edge> edges;
  edges.reserve(links());
  for (uint32_t page = 0; page < pages(); ++page) {
    for (const uint32_t target : LinksOf(page)) edges.push_back({page, target});
  }
  return edges;
}

Graph Graph::Reversed() const {
  std::vector<Edge> edges = Edges();
  for (Edge& edge : edges) std::swap(edge.from, edge.to);
  return FromEdges(pages(), std::move(edges));
}

Graph Graph::Undirected() const {
  std::vector<Edge> edges = Edges();
  const size_t forward = edges.size();
  edges.reserve(2 * forward);
  for (size_t i = 0; i < forward; ++i) edges.push_back({edges[i].to, edges[i].from});
  return FromEdges(pages(), std::move(edges));
}

}  // namespace opic::graph
