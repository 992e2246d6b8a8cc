// The order of a crawl by the cash of ledger push, beside the orders of experiment_crawl_order.h.
#pragma once

#include "sim/experiment_crawl_order.h"
#include "sim/push_simulation.h"

namespace opic::sim {

// The unread page with most cash, which is its importance as known by then. After each fetch
// `settlements` read pages are settled; 0 leaves their cash where it is.
class PushOrder final : public CrawlOrder {
 public:
  PushOrder(uint32_t pages, uint64_t settlements, const PushOptions& options = {})
      : push_(pages, options), settlements_(settlements) {}

  void Found(uint32_t page) override { push_.bank().Birth(page); }
  void Fetched(uint32_t page, absl::Span<const uint32_t> links) override {
    push_.bank().Visit(page, links);
    push_.Settle(settlements_);
  }
  uint32_t Next() override { return push_.bank().RichestUnread(); }

  PushSimulation& push() { return push_; }

 private:
  PushSimulation push_;
  const uint64_t settlements_;
};

}  // namespace opic::sim
