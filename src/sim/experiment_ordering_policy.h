// Orders of a crawl that reads each page once and knows a page only once it was linked to: which
// known page is next.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "graph/graph.h"

namespace opic::sim {

// Thread safety: confined to the owner thread.
class OrderingPolicy {
 public:
  virtual ~OrderingPolicy() = default;
  // A page was found for the first time. Seeds are found before the crawl.
  virtual void Found(uint32_t page) = 0;
  // `page`, as given by Next, was fetched; its links were found before this call.
  virtual void Fetched(uint32_t page, absl::Span<const uint32_t> links) = 0;
  // The known page to fetch now. REQUIRES: some page was found and not yet fetched.
  virtual uint32_t Next() = 0;
};

std::unique_ptr<OrderingPolicy> BreadthFirst();
std::unique_ptr<OrderingPolicy> RandomOrder(uint64_t seed);
// Most links found to it so far; ties: the lower number.
std::unique_ptr<OrderingPolicy> InDegreeOrder(uint32_t pages);
// The most important of the known pages, by their exact importance: what no crawler knows. `exact`
// must outlive the order.
std::unique_ptr<OrderingPolicy> ExactOrder(const std::vector<double>& exact);

inline constexpr uint32_t kCrawlSeeds = 10;

// Crawls `graph` in this order from random seed pages until no known page is left, and calls
// `fetched` after each page.
void CrawlAll(const graph::Graph& graph, OrderingPolicy& order, uint64_t seed,
              absl::FunctionRef<void(uint32_t page)> fetched);

}  // namespace opic::sim
