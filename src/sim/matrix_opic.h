// On-line OPIC for the other link matrices of paper section 1 ("it works for any link matrix L
// assuming that L can be read line by line").
//
// A visited page that holds cash c pays c * L[i][j] / r to every page i, L being the matrix with
// its small edges:
//
//   L = damping * (links, each of weight 1) + (1 - damping) * (all pages evenly).
//
// Then H + C = C0 + L H / r as in Lemma 2.3. With r the largest eigenvalue, cash neither grows nor
// vanishes, and H / G goes to its eigenvector at the rate 1 / G. Nobody knows r beforehand; but
// what a unit paid to others so far, (sum of c * (column sum of L)) / G = |L H| / |H|, is known
// without reading anything more and goes to r as H goes to the eigenvector. While it is still off,
// cash strays from the supply by and by; a correction, made anew once in n visits, brings it back.
// (Made at each visit it would follow the pages visited and bias the result.)
//
// For the random walk r is 1 and OpicBank has it exactly; here cash is floating point, as r is no
// fraction.
#pragma once

#include <cstdint>
#include <vector>

#include "cash/amount.h"
#include "graph/graph.h"
#include "schedule/strategy.h"
#include "sim/indexed_heap.h"

namespace opic::sim {

struct MatrixOpicOptions {
  double damping = 0.85;  // in [0, 1]
  schedule::StrategyKind strategy = schedule::StrategyKind::kGreedy;
  uint64_t seed = 1;
  uint64_t batch = 0;  // pages chosen at once; 0: 1/256 of the pages, of Greedy one
};

// The adjacency matrix of a graph; of graph.Undirected() it is the undirected one. Every page
// begins with cash 1 / n, which the estimate leaves out.
//
// Thread safety: confined to the owner thread.
class MatrixOpic {
 public:
  // `graph` must outlive it. REQUIRES: pages, and links or a damping below 1.
  MatrixOpic(const graph::Graph& graph, const MatrixOpicOptions& options);
  ~MatrixOpic();

  // The strategy chooses and visits `visits` pages.
  void Run(uint64_t visits);
  void Visit(uint32_t page);

  // (H + C - C0), scaled to sum up to 1; even until something was paid.
  std::vector<double> Importance() const;
  double clock() const { return clock_; }  // G, in supplies
  // The present estimate of r; 1 before the first visit.
  double eigenvalue() const { return clock_ > 0 ? paid_ / clock_ : 1; }

 private:
  class CashPool;
  void Choose(uint64_t visits);
  void Reorder(uint32_t page);
  void Sweep();
  void Correct();
  double ColumnSum(size_t links) const {
    return damping_ * static_cast<double>(links) + 1 - damping_;
  }

  const graph::Graph& graph_;
  const double damping_;
  const uint64_t batch_;
  std::vector<double> cash_, history_;
  double clock_ = 0;  // G
  double paid_ = 0;   // sum of c * (column sum of L)
  double virtual_cash_ = 0;
  double all_cash_ = 1;         // of pages and the virtual page
  double all_cash_summed_ = 0;  // after each visit since the last correction
  double correction_ = 1;       // r is taken for so much larger
  uint64_t visits_ = 0;
  std::unique_ptr<CashPool> pool_;
  std::unique_ptr<schedule::Strategy> strategy_;
  std::vector<schedule::Candidate> chosen_;
  std::optional<IndexedHeap<double>> by_cash_;  // for Greedy, one page at a time
};

}  // namespace opic::sim
