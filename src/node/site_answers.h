// What the hosts, domains or groups of a crawl have: importance, pages, fetches, bytes.
//
// All rows are read, some thousand at a time, away from the ledger's thread; that one only takes
// the cash of those pages, and a cursor over what they have recorded at that moment, and says the
// next time what both amount to.
#pragma once

#include <string>
#include <vector>

#include "node/answers.h"
#include "node/hosts_file.h"
#include "node/site_sums.h"

namespace opic::node {

inline constexpr size_t kSiteRowsAtOnce = 2'000;

// `rows_at_once` are read between two steps on the ledger's thread. `file` says which hosts are in
// which group; null: none is. REQUIRES: as AnswerTop.
absl::StatusOr<TopSites> AnswerSites(const ledger::Ledger& ledger, store::Store& store,
                                     const SitesQuery& query, RunOnLedger on_ledger,
                                     size_t rows_at_once = kSiteRowsAtOnce,
                                     const HostsFile* file = nullptr);

// The groups of which something was fetched, those with the most bytes first
// (TopSites::only_spent): what is known of them without a hosts file.
absl::StatusOr<TopSites> AnswerSpentGroups(const ledger::Ledger& ledger, store::Store& store,
                                           const SitesQuery& query);

}  // namespace opic::node
