// A directed graph of pages and links that is wholly known: what the off-line ranking, the
// simulator and the sample web work on.
//
// Compressed rows: 4 bytes a link and 8 a page. Links are distinct, and a page has none to itself
// (docs/algorithm.md section 1 drops those).
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace opic::graph {

struct Edge {
  uint32_t from;
  uint32_t to;
  friend bool operator==(Edge, Edge) = default;
};

// Pages are numbered from 0.
//
// Thread safety: immutable; assignment is confined to the owner thread.
class Graph {
 public:
  Graph() = default;
  // Repeated edges count once, self links not at all; the order of `edges` does not matter.
  // REQUIRES: every end is below `pages`.
  static Graph FromEdges(uint32_t pages, std::vector<Edge> edges);

  uint32_t pages() const { return static_cast<uint32_t>(begins_.size() - 1); }
  uint64_t links() const { return targets_.size(); }
  // Ascending. Valid as long as the graph is. REQUIRES: page < pages().
  absl::Span<const uint32_t> LinksOf(uint32_t page) const {
    return absl::MakeConstSpan(targets_).subspan(begins_[page], begins_[page + 1] - begins_[page]);
  }

  // For tests: how many pages link to each.
  std::vector<uint32_t> InDegrees() const;
  // Sorted by `from`, then `to`. FromEdges(pages(), Edges()) is this graph.
  std::vector<Edge> Edges() const;
  // Every link turned round: LinksOf are then the pages that link to a page.
  Graph Reversed() const;
  // Every link both ways: the third matrix of paper section 1 is its adjacency.
  Graph Undirected() const;

  friend bool operator==(const Graph&, const Graph&) = default;

 private:
  std::vector<uint64_t> begins_{0};  // of each page's row in targets_, and the end of the last one
  std::vector<uint32_t> targets_;
};

}  // namespace opic::graph
