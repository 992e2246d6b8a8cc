// Off-line PageRank of a graph: the exact importance that on-line estimates are compared with.
//
// The fixpoint of docs/algorithm.md section 1: with damping d = 1 - epsilon, a page with links
// passes d of its importance to them in equal parts and the rest to all pages evenly; a page
// without links passes everything to all pages evenly. Paper section 1 has other matrices, too:
// with adjacency every link passes d of the whole importance and a page passes 1 - d to all evenly,
// whatever that adds up to; what comes out is scaled to 1.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"
#include "graph/link_matrix.h"

namespace opic::graph {

struct PageRankOptions {
  double damping = 0.85;  // 1 - epsilon; in [0, 1]
  LinkMatrix matrix = LinkMatrix::kRandomWalk;
  double edge_weight = 0;        // w of RankOptions, with damping 1
  bool plus_identity = false;    // (dagger prime): x' = r * (L x + x)
  double l1_change_max = 1e-12;  // of one iteration, where it stops
  uint32_t iterations_max = 10'000;
};

struct Ranking {
  std::vector<double> importance;  // of each page; sums to 1
  uint32_t iterations = 0;
  double l1_change = 0;  // of the last iteration; above the maximum only if iterations ran out
};

// Power iteration from the uniform vector, normalised each time. The distance to the fixpoint of a
// random walk is at most l1_change * damping / (1 - damping). Two vectors of memory besides the
// graph. REQUIRES: links or a damping below 1, so that something is left to normalise.
Ranking RankPages(const Graph& graph, const PageRankOptions& options = {});

// The importance alone.
std::vector<double> PageRank(const Graph& graph, const PageRankOptions& options = {});

}  // namespace opic::graph
