// Orders of a crawl that reads each page once and knows a page only once it was linked to: which
// known page is next.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "sim/graph.h"

namespace opic::sim {

// Thread safety: confined to the owner thread.
class CrawlOrder {
 public:
  virtual ~CrawlOrder() = default;
  // A page was found for the first time. Seeds are found before the crawl.
  virtual void Found(uint32_t page) = 0;
  // `page`, as told by Next, was fetched; its links were found before this call.
  virtual void Fetched(uint32_t page, absl::Span<const uint32_t> links) = 0;
  // The known page to fetch now. REQUIRES: some page was found and not yet fetched.
  virtual uint32_t Next() = 0;
};

std::unique_ptr<CrawlOrder> BreadthFirst();
std::unique_ptr<CrawlOrder> RandomOrder(uint64_t seed);
// Most links found to it so far; ties: the lower number.
std::unique_ptr<CrawlOrder> InDegreeOrder(uint32_t pages);
// Most cash, as the threshold sweep finds it. After each fetch, `settlements` pages already read
// pay their cash along their links again, without a fetch (DESIGN 2); 0 leaves it where it is.
// `unread_share` of what the virtual page pays goes to unread pages alone. `graph` must outlive the
// order.
std::unique_ptr<CrawlOrder> OpicOrder(const Graph& graph, uint64_t settlements,
                                      double unread_share = 0);

}  // namespace opic::sim
