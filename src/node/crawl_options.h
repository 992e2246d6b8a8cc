// What a crawl is to do. Every field is an option of `opic crawl` with the same meaning
// (docs/operations.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "desk/desk_options.h"
#include "ledger/charter.h"
#include "node/disk_watch.h"
#include "node/host_budgets.h"
#include "node/hosts_file.h"
#include "node/limits.h"
#include "node/membership.h"
#include "node/memory_plan.h"
#include "node/refresh_options.h"
#include "node/scope_change.h"
#include "refresh/category.h"
#include "refresh/publication.h"
#include "schedule/strategy.h"

namespace opic::node {

// By default: of all estimates together, the L1 distance.
inline constexpr double kErrorMax = 0.01;

struct CrawlOptions : desk::DeskOptions {
  std::vector<std::string> seeds;  // URLs; may be empty when a crawl is resumed
  ScopeChange scope;               // a new crawl begins with the defaults of url::ScopeOptions
  uint64_t pages_max = 0;  // requests for pages that were answered or failed for good; 0: no limit
  // Fetches at once that the process may have files for: an operator cannot set more.
  uint32_t fetches_most = kFetchesMax;
  bool pages_typed = false;  // it takes the place of what an operator has set before
  uint64_t bytes_max = 0;    // received by this process; 0: no limit
  absl::Duration time_max = absl::InfiniteDuration();
  absl::Duration stop_patience = absl::Seconds(30);  // with the fetches under way when that is over
  // One more round: every page is fetched again, conditionally, and hosts given up are tried again.
  bool again = false;
  bool settle = true;            // go on settling until the ranking has converged
  double error_max = kErrorMax;  // settling ends when it bounds the error (ledger push)
  // While pages are still fetched; unlimited afterwards:
  double settles_per_s = 200;
  double settles_per_fetch = 1;
  BudgetOptions budgets;                    // of hosts and domains that no rule gives another
  DiskOptions disk;                         // when fetching waits for room on it
  MemoryPlan memory;                        // from which those of the desk follow
  uint32_t processors = 1;                  // for each node of the process
  RefreshOptions refresh;                   // a crawl that goes on for ever
  std::vector<refresh::Publication> focus;  // boosts that the crawl is started with
  // How much more pages of a category are wanted than others; 1: no more, at most kFactorMax.
  refresh::Factors interest = refresh::kNoFactors;
  bool referrers = false;          // kept from now on (ledger::Charter)
  double unread_share = 0;         // of what the virtual page pays, to unread pages only
  ledger::CharterRequest charter;  // of a new crawl; an old one must agree
  std::shared_ptr<const Membership> membership;  // null: the node is a cluster of its own
  std::shared_ptr<const HostsFile> hosts_file;   // rules beside those of operators; null: none
};

}  // namespace opic::node
