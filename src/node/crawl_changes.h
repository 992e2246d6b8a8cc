// What a node is to crawl: what its folder remembers, what it is started with, and what it is told
// while it runs. A change is durable when it comes back, and crawled from then on.
//
// Thread safety: synchronised inside; one change at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "ledger/ledger.h"
#include "node/crawl_memory.h"
#include "node/crawl_order.h"
#include "node/node_parts.h"
#include "node/reopening.h"
#include "node/seed_result.h"

namespace opic::node {

class CrawlChanges {
 public:
  // `parts` must outlive the changes.
  explicit CrawlChanges(NodeParts& parts) : parts_(parts) {}

  // Brings together what the folder remembers and what this run asks for. InvalidArgument: a node
  // on its own has no seeds.
  absl::Status TakeOptions();
  // Control says what these do.
  absl::StatusOr<SeedResults> AddSeeds(const std::vector<std::string>& urls);
  absl::StatusOr<SeedResults> Begin(const CrawlOrder& order);
  // Links followed from a seed; 0: no limit.
  absl::Status SetDepth(uint32_t depth);
  // The hosts file says these now.
  absl::Status SetHostDepths(const HostDepths& depths);
  absl::StatusOr<CrawlOrder> Order() const;

 private:
  // `seeds`: to be judged on the way; null: nobody asks.
  absl::Status Change(const std::function<void(CrawlMemory&)>& change,
                      const std::vector<ledger::Link>& pages, TypedSeeds* seeds = nullptr);
  absl::Status TakeRules(const std::vector<KeptRule>& told);
  absl::Status TakePublications(const std::vector<refresh::Publication>& told);
  absl::Status Reopen(Reopening::Which which);
  absl::Status ReopenAll();
  Reopening::Which CameIntoScope() const;
  std::vector<ledger::Link> OwnOf(const std::vector<ledger::Link>& pages) const;

  NodeParts& parts_;
  absl::Mutex one_at_a_time_;
};

// What is remembered, as an order for another node; without rules for hosts and publications.
CrawlOrder OrderOf(const CrawlMemory& crawl);

}  // namespace opic::node
