// What an off-line ranking computes, and how (thesis chapter 2, docs/algorithm.md section 5).
//
// One iteration of a ranking x with link matrix M and personalisation E is (2.6, 2.7):
//
//   x' = r * (c * M x + (1 - c) * E),   r such that x' has the size of x.
//
// The *direct* ranking follows links forward: importance. The *inverse* one follows them backward:
// interest, the rank of pages that lead to pages of E.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "graph/link_matrix.h"

namespace opic::rank {

enum class Direction : uint8_t { kDirect = 0, kInverse = 1 };
inline constexpr std::array kDirections = {Direction::kDirect, Direction::kInverse};
constexpr size_t IndexOf(Direction direction) { return static_cast<size_t>(direction); }

// What becomes of the importance that pages without links hold.
enum class Leak : uint8_t {
  kSpread,     // it goes to all pages as E says: docs/algorithm.md section 1, graph::PageRank
  kNormalise,  // it is lost and the rest scaled up by r: thesis 2.7
};

enum class Order : uint8_t {
  kJacobi,       // every page from the values of the iteration before
  kGaussSeidel,  // block after block, each from the newest values (2.3.3)
  kChaotic,      // the same without waiting for the other workers at the end of a round (2.5)
};

enum class Norm : uint8_t { kL1, kL2 };

struct RankOptions {
  double damping = 0.85;  // c; in [0, 1]
  graph::LinkMatrix matrix = graph::LinkMatrix::kRandomWalk;
  // w, the paper's other small edge: a page with links passes w / (links + w) of what it has to the
  // virtual page. Goes with damping 1, which would take its share besides. Random walk only.
  double edge_weight = 0;
  Leak leak = Leak::kSpread;
  // The paper's other suite (dagger prime): x' = r * (L x + x), which converges on periodic graphs.
  bool plus_identity = false;
  Order order = Order::kJacobi;
  uint32_t workers = 1;
  Norm norm = Norm::kL1;
  double change_max = 1e-9;  // of one iteration, relative to the size of x: where it stops
  uint32_t iterations_max = 1'000;
};

// What a ranking may use. The bound covers what grows with the graph, from the first link added.
struct RankResources {
  size_t memory_bytes = size_t{1} << 30;  // at least kRankMemoryMin
  std::string folder = "/tmp";            // for files that have no name and end with the process
  bool single_precision = true;  // of the values kept; sums are always double. 4 bytes, not 8
  bool always_on_disk = false;   // even when the graph would fit
};
inline constexpr size_t kRankMemoryMin = size_t{256} << 10;

// After each iteration (kChaotic: when every block was renewed again, some more than once).
struct RankProgress {
  uint32_t iteration = 0;                      // from 1
  double change = 0;                           // the larger one when two rankings are computed
  double seconds = 0;                          // of this iteration
  uint64_t bytes_read = 0, bytes_written = 0;  // of files, in this iteration
};
// False stops the ranking with the values of now.
using RankWatcher = std::function<bool(const RankProgress&)>;

struct RankSummary {
  uint32_t iterations = 0;
  double change = 0;
  bool converged = false;
};

}  // namespace opic::rank
