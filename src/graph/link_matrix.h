// The matrices of a graph that rankings are fixpoints of.
#pragma once

#include <cstdint>

namespace opic::graph {

// M[i][j] for a link from j to i (paper section 1). The undirected matrix is that of adjacency over
// links that were read both ways (rank::LinkReading, Graph::Undirected).
enum class LinkMatrix : uint8_t {
  kRandomWalk,  // 1 / (links of j + edge_weight)
  kAdjacency,   // 1; needs Leak::kNormalise
};

}  // namespace opic::graph
