// A web whose links change while it is crawled (paper section 4.2): now and then a page's in-degree
// is doubled or halved.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.h"
#include "graph/graph.h"

namespace opic::sim {

// Thread safety: confined to the owner thread.
class ChangingGraph {
 public:
  ChangingGraph(const graph::Graph& graph, uint64_t seed);

  // The in-degrees of `count` random pages change: with equal chance half of the links to a page
  // (rounded down) go, of those that have two or more, or as many come from sources chosen at
  // random, up to half of all pages, of those that have some and less. Nothing where no page can.
  void Change(uint64_t count);

  // The web as it is now.
  graph::Graph Snapshot() const;

 private:
  bool Double(uint32_t page);  // false: it stays as it is
  bool Halve(uint32_t page);

  std::vector<std::vector<uint32_t>> sources_;  // of the links to each page; distinct, in no order
  base::Rng rng_;
};

}  // namespace opic::sim
