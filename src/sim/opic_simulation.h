// On-line OPIC over a graph that is wholly known: a strategy of the Page Scheduler chooses, the
// bank pays.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "schedule/strategy.h"
#include "sim/indexed_heap.h"
#include "sim/opic_bank.h"

namespace opic::sim {

// The pages of a bank as a strategy sees them: page i is PageId(shard 0, id i), the walk is in the
// order of numbers.
class BankPool final : public schedule::Pool {
 public:
  // `bank` must outlive the pool; so must `eligible`, when there is one: pages[i] != 0 says that i
  // may be chosen.
  explicit BankPool(const OpicBank& bank, const std::vector<uint8_t>* eligible = nullptr)
      : bank_(bank), eligible_(eligible) {}
  // Needed only with an `eligible` list: how many it has.
  void set_eligible(uint64_t pages) { eligible_pages_ = pages; }

  uint64_t eligible() const override { return eligible_ ? eligible_pages_ : bank_.pages(); }
  uint64_t slots() const override { return bank_.pages(); }
  cash::Amount mean_cash() const override;
  bool Walk(uint64_t slots_max, absl::FunctionRef<void(const schedule::Candidate&)> visit) override;
  void Jump(uint64_t draw) override;

 private:
  const OpicBank& bank_;
  const std::vector<uint8_t>* eligible_;
  uint64_t eligible_pages_ = 0;
  uint32_t at_ = 0;
};

// Where the supply lies when the run begins.
enum class Genesis {
  kVirtualPage,  // docs/algorithm.md section 3: what the virtual page pays is earned
  kEvenly,  // the paper's pseudo-code: every page has C0 = 1/n, which the static estimate leaves
            // out
};

struct OpicOptions {
  schedule::StrategyKind strategy = schedule::StrategyKind::kThresholdSweep;
  Genesis genesis = Genesis::kVirtualPage;
  BankOptions bank;
  uint64_t seed = 1;
  // Pages chosen at once before they are visited in turn; 0: 1/256 of the pages, of Greedy one.
  // Greedy in batches is another algorithm: it visits pages that the batch itself made rich too
  // late, adds more to the clock and ends nearer.
  uint64_t batch = 0;
};

// Thread safety: confined to the owner thread.
class OpicSimulation {
 public:
  // `graph` must outlive the simulation. Its links may change between two visits, its number of
  // pages may not. REQUIRES: it has pages.
  OpicSimulation(const graph::Graph& graph, const OpicOptions& options);

  // The strategy chooses and visits `visits` pages.
  void Run(uint64_t visits);
  void Visit(uint32_t page);

  const OpicBank& bank() const { return bank_; }

 private:
  void Choose(uint64_t visits);
  void Reorder(uint32_t page);

  const graph::Graph& graph_;
  const uint64_t batch_;
  OpicBank bank_;
  BankPool pool_;
  std::unique_ptr<schedule::Strategy> strategy_;
  std::vector<schedule::Candidate> chosen_;
  std::optional<IndexedHeap<uint64_t>> by_cash_;  // for Greedy, one page at a time
};

}  // namespace opic::sim
