// The order of a crawl by the cash of ledger push, beside those of experiment_ordering_policy.h.
#pragma once

#include "sim/experiment_ordering_policy.h"
#include "sim/push_simulation.h"

namespace opic::sim {

// The unread page with most cash, which is its importance as known by then. After each fetch
// `settlements` read pages are settled; 0 leaves their cash where it is.
//
// Thread safety: confined to one thread.
class PushOrder final : public OrderingPolicy {
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
