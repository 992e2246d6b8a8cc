// The order of a crawl by the cash of OPIC, beside the orders of experiment_ordering_policy.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "schedule/strategy.h"
#include "sim/experiment_ordering_policy.h"
#include "sim/opic_simulation.h"

namespace opic::sim {

// Most cash, as the threshold sweep finds it. After each fetch, `settlements` pages already read
// pay their cash along their links again, without a fetch; 0 leaves it where it is.
//
// The bank numbers pages in the order they were found.
//
// Thread safety: confined to one thread.
class OpicOrder final : public OrderingPolicy {
 public:
  // `graph` must outlive the order.
  OpicOrder(const graph::Graph& graph, uint64_t settlements, const BankOptions& bank = {});

  void Found(uint32_t page) override;
  void Fetched(uint32_t page, absl::Span<const uint32_t> links) override;
  uint32_t Next() override;

  const OpicBank& bank() const { return bank_; }
  // Indexed by number in the bank: the page of the graph.
  const std::vector<uint32_t>& pages() const { return page_; }

 private:
  void Settle();
  void Pay(uint32_t number);

  const graph::Graph& graph_;
  const uint64_t settlements_;
  std::vector<uint32_t> number_, page_;  // in the bank of a page of the graph, and back
  OpicBank bank_;
  std::vector<uint8_t> unread_, read_;
  uint64_t unread_count_ = 0, read_count_ = 0;
  BankPool unread_pool_, read_pool_;
  std::unique_ptr<schedule::Strategy> fetching_, settling_;
  std::vector<schedule::Candidate> chosen_;
  std::vector<uint32_t> links_;
};

}  // namespace opic::sim
