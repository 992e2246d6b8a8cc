// Which pages a node settles in a turn of its ledger's loop, and how many: by a plan of all of them
// when nothing is left to fetch (node/settling_plan.h), else those that hold the most cash, as many
// as the settings allow for each fetch and each second.
//
// Thread safety: confined to the owner thread (the ledger's).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "cluster/exchange.h"
#include "ledger/ledger.h"
#include "node/crawl_options.h"
#include "node/phase.h"
#include "node/pools.h"
#include "node/settling_plan.h"
#include "schedule/strategy.h"
#include "store/store.h"

namespace opic::node {

class Settler {
 public:
  // All must outlive it.
  Settler(const CrawlOptions& options, ledger::Ledger& ledger, store::Store& store,
          const ClosedShards& closed, base::Clock& clock);

  // From now on the node settles together with its peers. `exchange` must outlive the settler.
  void MeetPeers(cluster::Exchange& exchange);

  // Settles some pages. `recorded`: visits of this turn. An error is one of the store.
  absl::Status Step(Phase phase, size_t recorded);
  // The last step settled pages, or worked at a plan of it.
  bool worked() const { return settled_ > 0 || planned_; }

  // What a peer says of the plan that the nodes make together.
  void Take(NodeId from, const cluster::PlanPart& part) { plan_.Take(from, part, clock_.Steady()); }
  // No peer has so many batches to acknowledge that settling waits for it.
  bool PeersKeepUp() const;

  // The bound of the error is counted from a reference that ages as cash moves. Takes a new one,
  // when that is worth a walk of the table.
  void SharpenBound();

 private:
  size_t MostNow(Phase phase, size_t recorded);
  bool GroupHasRoom(uint64_t paid_before) const;
  bool MayPlan(Phase phase) const;
  absl::StatusOr<bool> SettleByPlan(double goal);
  absl::Status SettleByCash(Phase phase, double goal, size_t most);
  absl::Status Settle(absl::Span<const PageId> pages);

  const CrawlOptions& options_;
  ledger::Ledger& ledger_;
  base::Clock& clock_;
  const cluster::Exchange* exchange_ = nullptr;  // null: the node has no peers
  SettlePool pool_;
  const std::unique_ptr<schedule::Strategy> strategy_;
  SettlingPlan plan_;
  absl::Time allowed_until_;   // what allowance_ is of
  double allowance_ = 0;       // pages that may be settled while the crawl fetches
  size_t settled_ = 0;         // pages, by the last step
  bool planned_ = false;       // the last step worked on plan_
  uint64_t sharpened_at_ = 0;  // in settled visits
};

}  // namespace opic::node
